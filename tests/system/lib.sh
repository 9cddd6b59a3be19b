# lib.sh: for tests that drive the real programs: a private service in a
# temporary folder, and checks. Source it; it expects BUILD and SOURCE.
#
# Every check prints what it saw when it fails and ends the test.
set -eu

work=$(mktemp -d)
export MMTUNE_SOCKET="$work/socket"
export POCL_CACHE_DIR="${MMTUNE_TEST_CACHE:-$work/cache}/pocl"
mkdir -p "$POCL_CACHE_DIR"
PATH="$BUILD/cli:$PATH"
service=""

cleanup() {
	status=$?
	[ -z "$service" ] || kill -9 "$service" 2>/dev/null || true
	wait 2>/dev/null || true
	if [ "$status" -ne 0 ] && [ "$status" -ne 77 ] && [ -f "$work/log" ]; then
		echo "---- mmtuned's log" >&2
		tail -n 40 "$work/log" >&2
	fi
	rm -rf "$work"
	exit "$status"
}
trap cleanup EXIT
trap 'exit 143' TERM INT

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# until_true 'COMMAND' ['TEXT']: tries it again and again; when two minutes are over, TEXT, expanded then, says what is wrong.
# What is waited for has a limit that a slow machine keeps too, and no other: no test sleeps and then looks.
until_true() {
	until_since=$(date +%s)
	until eval "$1"; do
		[ $(($(date +%s) - until_since)) -lt 120 ] || eval "fail \"${2:-not in two minutes: \$1}\""
		sleep 0.05
	done
}

# until_gone PID...: until none of them runs. A zombie is its reaper's business.
until_gone() {
	for gone in "$@"; do
		until_true 'case $(ps -o stat= -p "$gone") in "" | Z*) true ;; *) false ;; esac' 'process $gone still runs'
	done
}

# workers: the processes of the service that drive a device.
workers() {
	pgrep -P "$service" -f -- --fingerprint || true
}

# start_service [mmtuned's options]: returns when it answers. Where they say nothing, peaks are measured in short
# and workers are no less urgent than what else the machine does: the tests beside this one.
start_service() {
	"$BUILD/service/mmtuned" --user --socket "$MMTUNE_SOCKET" --state-directory "$work/state" \
		--cache-directory "$work/cache" --set tuning.peak_budget_s=1 --set tuning.worker_nice=0 "$@" >>"$work/log" 2>&1 &
	service=$!
	until_true 'mmtune status >/dev/null 2>&1 || ! kill -0 "$service" 2>/dev/null' 'mmtuned does not answer'
	kill -0 "$service" 2>/dev/null || fail "mmtuned ended while starting"
}

stop_service() {
	kill "$service"
	wait "$service" || fail "mmtuned ended with status $?"
	service=""
}

need_device() {
	mmtune devices --json | grep -q '"fingerprint"' || {
		echo "no OpenCL device: skipped" >&2
		exit 77
	}
}

# records KEY: JSON on one line becomes a line for each object that begins with KEY.
records() {
	sed "s/{\"$1\":/\n&/g"
}

# until_done JOB: waits two minutes at most.
until_done() {
	waited_for=$1
	until_true 'mmtune jobs --json | records job | grep -q "\"job\":$waited_for,.*\"state\":\"done\""' \
		'job $waited_for did not end: $(mmtune jobs --json)'
}

# expect STATUS 'TEXT' command...: the exit status, and the text on stderr (a grep pattern).
expect() {
	want=$1 pattern=$2
	shift 2
	status=0
	"$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	[ "$status" -eq "$want" ] || fail "'$*' ended with status $status, not $want: $(cat "$work/stderr")"
	grep -qE -- "$pattern" "$work/stderr" || fail "'$*' said '$(cat "$work/stderr")', not '$pattern'"
	[ "$(wc -l <"$work/stderr")" -le 1 ] || fail "'$*' said more than one line: $(cat "$work/stderr")"
	[ ! -s "$work/stdout" ] || fail "'$*' wrote to stdout: $(cat "$work/stdout")"
}
