# What the configuration lists is tuned when nothing else is to be done, behind what clients ask for, and once: a restart
# measures nothing again. On a device made of a string: what counts is the order of the jobs.
. "$SOURCE/tests/system/lib.sh"
export MMTUNE_FAKE='devices=cpu:A'
start_service_listed() {
	start_service --set service.worker="$BUILD/tests/fake/fake-worker" --set tuning.auto_tune='48, cpu0:40x30x20/nt' \
		--set tuning.budget_s=3 --set tuning.background_budget_s=3 --set tuning.finalists=1 --set tuning.finalist_rounds=1
}
unfinished() { mmtune jobs --json | records job | grep -cE '"state":"(queued|running)"' || true; }
until_idle() { until_true '[ "$(unfinished)" -eq 0 ]' 'the queue does not empty: $(mmtune jobs)'; }
is_exact() { mmtune query "$@" --json | grep -q '"match":"exact"' || fail "no exact answer for $*"; }

start_service_listed
mmtune pause >/dev/null
mmtune query --order 56 --json >/dev/null
mmtune query --order 60 --json >/dev/null
mmtune query --order 60 --json >/dev/null
# Peaks first, then the most asked, then the other, then what is listed. An ask is answered before its job is queued or
# moves up.
order() { mmtune jobs | awk '$8 == "query" {print $8, $9} $8 == "auto" {print $8}' | tr '\n' ' '; }
until_true '[ "$(order)" = "query 2 query 1 auto auto " ]' 'not all are queued, or not by asks: $(mmtune jobs)'
mmtune resume >/dev/null
until_idle
is_exact --order 48
is_exact --m 40 --n 30 --k 20 --trans nt
is_exact --order 60
mmtune query --order 52 --json >"$work/near"
grep -q '"match":"near"' "$work/near" || fail "a size between is not near: $(cat "$work/near")"
grep -qE '"confidence":0\.[5-9]' "$work/near" || fail "a near answer tells no confidence: $(cat "$work/near")"
mmtune query --order 52 | grep -q 'of a tuned one expected' || fail "the text does not tell what is expected"
until_true "mmtune jobs --json | records job | grep -q '\"m\":52,'" 'what was asked for is not queued: $(mmtune jobs)'
until_idle
before=$(mmtune status --json | grep -o '"trials":[0-9]*')
stop_service
start_service_listed
mmtune query --order 48 --json >/dev/null # the devices are there, and what is listed was looked at
sleep 1
[ "$(unfinished)" -eq 0 ] || fail "a restart queues again what is tuned: $(mmtune jobs)"
[ "$(mmtune status --json | grep -o '"trials":[0-9]*')" = "$before" ] || fail "a restart measured again"
stop_service
