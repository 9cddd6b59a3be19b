# What the configuration lists is tuned when nothing else is to be done, behind what clients ask for, and once: a restart
# measures nothing again.
. "$SOURCE/tests/system/lib.sh"
start_service_listed() {
	start_service --set tuning.auto_tune='48, cpu0:40x30x20/nt' --set tuning.budget_s=4 --set tuning.peak_budget_s=1 \
		--set tuning.background_budget_s=3 --set tuning.finalists=1 --set tuning.finalist_rounds=1
}
unfinished() { mmtune jobs --json | records job | grep -cE '"state":"(queued|running)"' || true; }
until_idle() {
	tries=0
	until [ "$(unfinished)" -eq 0 ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || fail "the queue does not empty: $(mmtune jobs)"
		sleep 0.2
	done
}
is_exact() { mmtune query "$@" --json | grep -q '"match":"exact"' || fail "no exact answer for $*"; }

start_service_listed
need_device
mmtune devices --json | grep -q '"name":"cpu0"' || exit 77
mmtune pause >/dev/null
mmtune query --order 56 --json >/dev/null
mmtune query --order 60 --json >/dev/null
mmtune query --order 60 --json >/dev/null
tries=0
until [ "$(mmtune jobs --json | records job | grep -cE '"origin":"(query|auto)"')" -eq 4 ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 100 ] || fail "not all are queued: $(mmtune jobs)"
	sleep 0.1
done
mmtune jobs >"$work/jobs"
# peaks first, then the most asked, then the other, then what is listed
awk '$8 ~ /^(query|auto)$/ {print $8, $9}' "$work/jobs" >"$work/order"
[ "$(sed -n '1p;2p' "$work/order" | tr '\n' ' ')" = "query 2 query 1 " ] || fail "not by asks: $(cat "$work/jobs")"
[ "$(grep -c '^auto' "$work/order")" -eq 2 ] || fail "what is listed is not queued: $(cat "$work/jobs")"
mmtune resume >/dev/null
until_idle
is_exact --order 48
is_exact --m 40 --n 30 --k 20 --trans nt
is_exact --order 60
mmtune query --order 52 --json >"$work/near"
grep -q '"match":"near"' "$work/near" || fail "a size between is not near: $(cat "$work/near")"
grep -qE '"confidence":0\.[5-9]' "$work/near" || fail "a near answer tells no confidence: $(cat "$work/near")"
mmtune query --order 52 | grep -q 'of a tuned one expected' || fail "the text does not tell what is expected"
until_idle
before=$(mmtune status --json | grep -o '"trials":[0-9]*')
stop_service
start_service_listed
sleep 3
[ "$(unfinished)" -eq 0 ] || fail "a restart queues again what is tuned: $(mmtune jobs)"
[ "$(mmtune status --json | grep -o '"trials":[0-9]*')" = "$before" ] || fail "a restart measured again"
stop_service
