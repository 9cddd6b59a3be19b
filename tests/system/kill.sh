# kill -9 of the service and of the worker in mid-run: no acknowledged row is
# lost, the job goes on where it was, nothing is evaluated twice.
. "$SOURCE/tests/system/lib.sh"
start_service
need_device

trials() { mmtune status --json | sed 's/.*"trials":\([0-9]*\).*/\1/'; }
evaluations() { mmtune jobs --json | grep -oE '"evaluations":[0-9]+' | head -1 | grep -oE '[0-9]+$'; }
until_trials() {
	wanted=$1
	until_true '[ "$(trials)" -ge "$wanted" ]' 'no progress: $(trials) trials'
}

mmtune tune --order 160 --variant element --evaluations 24 --budget 600s --no-wait >"$work/job"
job=$(grep -oE '[0-9]+' "$work/job" | head -1)
until_trials 4
before=$(trials)
orphans=$(workers)
kill -9 "$service"
wait "$service" 2>/dev/null || true
# shellcheck disable=SC2086
until_gone $orphans
start_service
[ "$(trials)" -ge "$before" ] || fail "$before trials were acknowledged, $(trials) are there after kill -9"
mmtune jobs --json | records job | grep -q "\"job\":$job,.*\"state\":\"\(running\|queued\)\"" || fail "job $job was not resumed: $(mmtune jobs --json)"
until_trials $((before + 3))

# A worker that dies takes one candidate with it. In a comparison there is nobody to blame: then once more.
tries=0
until mmtune history --trials --json --limit 0 | grep -q '"outcome":"crashed"'; do
	tries=$((tries + 1))
	[ "$tries" -le 3 ] || fail "the killed worker's candidate was not recorded as crashed"
	until_true 'kill -9 "$(workers | head -1)" 2>/dev/null' 'no worker is running'
	until_trials $(($(trials) + 3))
done

# Ended, not failed; no configuration was measured twice outside the finals.
until_done "$job"
mmtune query --order 160 --json --source >"$work/answer.json"
grep -q '"match":"exact"' "$work/answer.json" || fail "no exact answer after the resumed job"
"$BUILD/tests/system/test-launch" <"$work/answer.json"
stop_service
