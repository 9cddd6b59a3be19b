# Bad input: one clear sentence, the documented exit status, nothing written.
. "$SOURCE/tests/system/lib.sh"

expect 3 "$MMTUNE_SOCKET" mmtune query --device cpu0 --order 1000
expect 2 "nonsense" "$BUILD/service/mmtuned" --nonsense
expect 2 "tuning.x" "$BUILD/service/mmtuned" --set tuning.x
expect 2 "nosuch" "$BUILD/service/mmtuned" --set tuning.nosuch=1
expect 2 "nosuch" "$BUILD/service/mmtuned" --set tuning.strategy=nosuch
long=$(printf 'x%.0s' $(seq 1 119))
expect 2 "107" mmtune --socket "/$long" query --device cpu0 --order 1000
# A socket file that nobody listens on.
"$BUILD/service/mmtuned" --user --socket "$MMTUNE_SOCKET" --state-directory "$work/state" --cache-directory "$work/cache" \
	2>/dev/null &
first=$!
until_true '[ -S "$MMTUNE_SOCKET" ]'
kill -9 $first
wait $first || true
expect 3 "$MMTUNE_SOCKET" mmtune query --device cpu0 --order 1000
# It is taken over by a new instance; a second instance is refused and names the socket.
start_service
status=0
"$BUILD/service/mmtuned" --user --socket "$MMTUNE_SOCKET" --state-directory "$work/other" --cache-directory "$work/cache" \
	2>"$work/second" || status=$?
[ "$status" -eq 1 ] || fail "a second instance on the socket ended with status $status: $(cat "$work/second")"
grep -q "$MMTUNE_SOCKET" "$work/second" || fail "the second instance did not name the socket: $(cat "$work/second")"
status=0
"$BUILD/service/mmtuned" --user --socket "$work/other-socket" --state-directory "$work/state" \
	--cache-directory "$work/cache" 2>"$work/second" || status=$?
[ "$status" -eq 1 ] || fail "a second instance on the database ended with status $status: $(cat "$work/second")"
mmtune status >/dev/null || fail "the first instance does not answer any more"

expect 4 "gpu7" mmtune query --device gpu7 --order 1000
need_device
device=$(mmtune devices --json | sed 's/.*"name":"\([a-z]*[0-9]*\)".*/\1/')
expect 2 "0" mmtune query --device "$device" --order 0
expect 2 "-5" mmtune query --device "$device" --order -5
expect 2 "1e9" mmtune query --device "$device" --order 1e9
expect 2 "10x" mmtune query --device "$device" --order 10x
expect 2 "f99" mmtune query --device "$device" --order 64 --type f99
expect 2 "xx" mmtune query --device "$device" --order 64 --trans xx
expect 2 "nosuch" mmtune query --device "$device" --order 64 --family nosuch
expect 4 "bytes" mmtune query --device "$device" --order 1000000000
expect 4 "bytes" mmtune tune --device "$device" --order 1000000000
expect 2 "nosuch" mmtune tune --device "$device" --order 64 --strategy nosuch
if mmtune devices --json | grep -q '"fp16":false'; then
	expect 4 "f16|fp16" mmtune query --device "$device" --family copy --n 64 --type f16
fi
[ "$(mmtune status --json | sed 's/.*"trials":\([0-9]*\).*/\1/')" -eq 0 ] || fail "bad input left trials behind"
mmtune jobs --json | grep -q '"jobs":\[\]' || fail "bad input left jobs behind: $(mmtune jobs --json)"
stop_service
