# mmtune ladder: every row of the teaching material and every reference is
# there; what the device cannot run is refused and has no figures; the numbers
# agree with each other; variants' rows are kept as trials.
. "$SOURCE/tests/system/lib.sh"
start_service --set tuning.background_budget_s=0
need_device
order=64
device=$(mmtune devices --names | head -1)
mmtune ladder --device "$device" --order $order --json >"$work/ladder.json"
records name <"$work/ladder.json" | grep '^{"name":' >"$work/rows"

# row NAME [PARAMETER=VALUE]...: its line.
row() {
	name=$1
	shift
	grep "^{\"name\":\"$name\"," "$work/rows" >"$work/found" || fail "there is no row $name"
	for setting in "$@"; do
		grep "\"${setting%=*}\":${setting#*=}[,}]" "$work/found" >"$work/narrowed" || fail "$name has no row with $*"
		mv "$work/narrowed" "$work/found"
	done
	cat "$work/found"
}

for reference in host_ijk host_ijk_fast host_ikj host_kij host_ijk_naive host_ikj_openmp acc_gang_vector acc_tile \
	acc_collapse acc_reduction openblas clblast; do
	row $reference >/dev/null
done
for host in host_ijk host_ijk_fast host_ikj host_kij host_ijk_naive; do
	row $host | grep -q '"outcome":"ok"' || fail "$host did not run: $(row $host)"
done
row element DIMENSION_0=0 COLLAPSE=0 >/dev/null
row element DIMENSION_0=1 >/dev/null
row element COLLAPSE=1 >/dev/null
for local in 2 4 8 16 32 64; do
	row element LOCAL_X=$local LOCAL_Y=$local >/dev/null
done
row row WGS=250 ORDER=0 >/dev/null
row row WGS=250 ORDER=1 >/dev/null
row row_private WGS=250 >/dev/null
row row_private_local WGS=250 >/dev/null
for tile in 8 16 32; do
	row tiled TILE=$tile PAD=0 >/dev/null
	row tiled TILE=$tile PAD=1 >/dev/null
done
for variant in blocked image panel; do
	row $variant >/dev/null
done

# In the order of the teaching material.
grep '"kind":"variant"' "$work/rows" | sed 's/^{"name":"\([a-z_]*\)".*/\1/' | uniq | tr '\n' ' ' >"$work/order"
grep -q '^element row row_private row_private_local tiled blocked image panel ' "$work/order" ||
	fail "the ladder goes $(cat "$work/order")"

# A work-group of 64 x 64 is refused where the device allows less, and then counts for nothing.
limit=$(mmtune devices --json | records name | grep "\"name\":\"$device\"" | grep -oE '"max_work_group_size":[0-9]+' | grep -oE '[0-9]+' | head -1)
square=$(row element LOCAL_X=64 LOCAL_Y=64)
if [ "${limit:?}" -lt 4096 ]; then
	echo "$square" | grep -q '"outcome":"skipped","message":"[^"]*4096' || fail "64 x 64 was not refused: $square"
	echo "$square" | grep -qE '"(time_ns|gflops)"' && fail "a refused row has figures: $square"
else
	echo "$square" | grep -q '"outcome":"ok"' || fail "64 x 64 did not run, and the device allows $limit: $square"
fi

# value KEY: of each line.
awk -v order=$order '
function value(key) { return match($0, "\"" key "\":[0-9.eE+-]+") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 : 0 }
function near(a, b) { return a > b * 0.999999 && a < b * 1.000001 }
/"outcome":"ok"/ {
	ok++
	if (!near(value("gflops") * value("time_ns"), 2 * order ^ 3)) { print "gflops and time disagree: " $0; bad = 1 }
	if (!near(value("compulsory_bandwidth_gbps") * value("time_ns"), 3 * order ^ 2 * 4)) { print "bandwidth and time disagree: " $0; bad = 1 }
	if (/"kind":"host"/ && (!honest || value("time_ns") < honest)) honest = value("time_ns")
	time[ok] = value("time_ns"); speed_up[ok] = value("speedup_honest")
}
!/"outcome":"ok"/ && /"(time_ns|gflops|speedup_honest)"/ { print "a row that did not run has figures: " $0; bad = 1 }
END {
	for (i = 1; i <= ok; i++)
		if (!near(speed_up[i] * time[i], honest)) { print "row " i ": speed-up " speed_up[i] " is not " honest "/" time[i]; bad = 1 }
	if (ok < 12) { print "only " ok " rows ran"; bad = 1 }
	exit bad
}' "$work/rows" >"$work/complaints" || fail "$(cat "$work/complaints")"

# The variants' rows are trials; the next ladder knows the best of them, and has as many rows or fewer.
measured=$(grep -c '"kind":"variant"' "$work/rows")
trials=$(mmtune history --trials --order $order --limit 0 --json | grep -o '"outcome":' | wc -l)
[ "$trials" -ge "$measured" ] || fail "$measured rows of variants, but $trials trials"
mmtune ladder --device "$device" --order $order --variant tiled --csv >"$work/csv"
grep -q '^tiled,variant,best,' "$work/csv" || fail "the second ladder does not know the best of tiled: $(cat "$work/csv")"
grep -q '^element,' "$work/csv" && fail "--variant tiled has rows of element"
[ "$(head -1 "$work/csv" | cut -d, -f1-6)" = "name,kind,from,textbook,parameters,outcome" ] || fail "CSV titles: $(head -1 "$work/csv")"
expect 2 "none called 'nothing'" mmtune ladder --order 8 --variant nothing
mmtune pause >/dev/null
expect 1 'paused' mmtune ladder --device "$device" --order 8
mmtune resume >/dev/null

# A client that goes ends its ladder, and jobs run again; one that is under way when the service ends is told.
has_row() { mmtune history --trials --order "$1" --limit 0 --json | grep -q '"outcome":'; }
mmtune ladder --device "$device" --order 256 >/dev/null 2>&1 &
client=$!
until_true 'has_row 256' 'the ladder does not begin'
kill $client
wait $client 2>/dev/null || true
mmtune tune --device "$device" --order 32 --evaluations 2 >/dev/null || fail "no job runs after a ladder that was left"
mmtune ladder --device "$device" --order 264 >/dev/null 2>"$work/stderr" &
client=$!
until_true 'has_row 264' 'the ladder does not begin'
stop_service
wait $client && fail "a ladder went on without its service"
grep -q 'the service is ending' "$work/stderr" || fail "a ladder that was ended said: $(cat "$work/stderr")"
