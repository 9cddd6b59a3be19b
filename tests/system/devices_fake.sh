# Devices that are gone are no choice beside the one that is there, and a driver that hangs in the list of its devices
# does not hold up the end of the service.
. "$SOURCE/tests/system/lib.sh"

start() { # FAKE
	export MMTUNE_FAKE="$1"
	start_service --set service.worker="$BUILD/tests/fake/fake-worker" --set tuning.background_budget_s=0
}

start 'devices=gpu:A,cpu:B'
expect 2 'choose with --device: cpu0, gpu0' mmtune query --order 100
stop_service
start 'devices=cpu:B'
mmtune query --order 100 --json | grep -q '"device":"cpu0"' || fail "the only device is not taken: $(mmtune devices)"
stop_service

start 'enumerate=hang'
before=$(date +%s)
stop_service
[ $(($(date +%s) - before)) -lt 10 ] || fail "it ended after $(($(date +%s) - before)) s"
