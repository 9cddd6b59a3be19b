# The ladder on a device made of a string: a work-group that is too large is
# refused by name, a row that crashes its worker costs that row only, and what
# a budget tuned is what the ladder shows.
. "$SOURCE/tests/system/lib.sh"
export MMTUNE_FAKE='devices=gpu:Fake GPU; rate_gflops=1000; crash=@-DTILE=32 -DPAD=1; seed=3'
start_service --set tuning.background_budget_s=0 \
	--set service.worker="$BUILD/tests/fake/fake-worker"

ladder() {
	mmtune ladder --device gpu0 --order 1000 --json "$@" >"$work/ladder.json"
	records name <"$work/ladder.json" | grep '^{"name":' >"$work/rows"
}
# the PATTERN... FOUND: the one row that matches all patterns.
the() {
	cp "$work/rows" "$work/found"
	for pattern in "$@"; do
		grep -- "$pattern" "$work/found" >"$work/narrowed" || fail "no row with $*: $(cat "$work/rows")"
		mv "$work/narrowed" "$work/found"
	done
	cat "$work/found"
}

ladder
the '"name":"element"' '"LOCAL_X":64,"LOCAL_Y":64' '"outcome":"skipped"' '4096.*1024' '"textbook":true' >/dev/null
grep '"LOCAL_X":64,"LOCAL_Y":64' "$work/rows" | grep -qE '"(time_ns|gflops|speedup_honest)"' && fail "a refused row has figures"
the '"name":"tiled"' '"TILE":32,"PAD":1' '"outcome":"crashed"' >/dev/null
the '"name":"tiled"' '"TILE":32,"PAD":0' '"outcome":"ok"' >/dev/null
the '"name":"panel"' '"outcome":"skipped"' 'needs a CPU device' >/dev/null
the '"name":"fake_library"' '"outcome":"skipped","message":"not installed"' >/dev/null
the '"name":"fake_loop"' '"gflops":10\.0[,}]' '"speedup_honest":1\.0[,}]' '"speedup_naive":10\.0' '"fraction_of_peak":null' >/dev/null
the '"name":"row"' '"WGS":250,"ORDER":1' '"outcome":"ok"' >/dev/null
grep -q '"honest":"fake_loop","naive":"fake_naive"' "$work/ladder.json" || fail "the bars: $(head -c 600 "$work/ladder.json")"

# Rate over compute units times the honest rate; refused rows do not count.
units=$(grep -oE '"compute_units":[0-9]+' "$work/ladder.json" | grep -oE '[0-9]+')
awk -v units="$units" '
function value(key) { return match($0, "\"" key "\":[0-9.eE+-]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 : 0 }
/"kind":"variant"/ && /"outcome":"ok"/ {
	rows++
	want = value("gflops") / (units * 10)
	if (value("parallel_efficiency") < want * 0.999 || value("parallel_efficiency") > want * 1.001) bad = 1
}
END { exit bad || rows < 10 }' "$work/rows" || fail "parallel efficiency is not rate / ($units x 10 GFLOP/s)"

# Tuned for the ladder: the best of that variant, and faster than its default.
default=$(the '"name":"blocked"' '"from":"default"' | grep -oE '"time_ns":[0-9]+')
tuned_ladder() {
	ladder --variant blocked --budget 2s # what the one before found counts too
	tuned=$(the '"name":"blocked"' '"from":"best"' | grep -oE '"time_ns":[0-9]+')
}
until_true 'tuned_ladder; [ "${tuned#*:}" -lt "${default#*:}" ]' 'after tuning blocked takes $tuned, before $default'
[ "$(grep -c '"kind":"variant"' "$work/rows")" -eq 1 ] || fail "--variant blocked gave: $(cat "$work/rows")"
mmtune jobs --json | records job | grep -q '"state":"done"' || fail "no job tuned for the ladder"
stop_service
