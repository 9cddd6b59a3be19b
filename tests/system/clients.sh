# Sixteen clients ask while it tunes: every one is answered, and right.
. "$SOURCE/tests/system/lib.sh"
start_service --set tuning.background_budget_s=0
need_device
mmtune tune --order 128 --evaluations 8 >/dev/null
mmtune tune --order 300 --budget 120s --no-wait >/dev/null
clients=""
for i in $(seq 16); do
	(
		for _ in $(seq 25); do
			mmtune query --order 128 --json >"$work/answer.$i" || exit 1
			grep -q '"match":"exact"' "$work/answer.$i" || exit 1
			mmtune query --order $((100 + i)) --json | grep -q '"match":"near"' || exit 1
		done
	) &
	clients="$clients $!"
done
for client in $clients; do
	wait "$client" || fail "a client was not answered"
done
stop_service
