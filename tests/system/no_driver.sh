# No vendor's driver is ever loaded in mmtuned: neither linked nor opened.
. "$SOURCE/tests/system/lib.sh"
! ldd "$BUILD/service/mmtuned" | grep -qi opencl || fail "mmtuned links OpenCL"
command -v strace >/dev/null || exit 77
strace -f -e trace=openat,execve -o "$work/trace" "$BUILD/service/mmtuned" --user --socket "$MMTUNE_SOCKET" \
	--state-directory "$work/state" --cache-directory "$work/cache" 2>"$work/log" &
service=$!
until_true 'mmtune status >/dev/null 2>&1' 'mmtuned does not answer'
need_device
mmtune query --order 64 >/dev/null
main=$(awk '/execve/ {print $1; exit}' "$work/trace")
grep -q "mmtune-worker" "$work/trace" || fail "the trace shows no worker"
! grep "^$main " "$work/trace" | grep openat | grep -iE 'opencl|pocl|/dev/(dri|nvidia|kfd)|\.icd' >&2 ||
	fail "mmtuned opened a driver's file"
pkill -TERM -P "$service" || true
wait "$service" || true
service=""
