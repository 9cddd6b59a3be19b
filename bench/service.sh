# shellcheck shell=sh disable=SC2154
# service.sh: sourced by the benchmarks: a private service with a database of
# its own, in a temporary folder that goes with it. Expects $build, the absolute
# build folder; sets $work and puts mmtune on the PATH. stop_service and start_service
# STATE FOLDER [OPTIONS] give it another database.
#
# Its log is shown when the benchmark fails.
work=$(mktemp -d)
PATH=$build/cli:$PATH
export MMTUNE_SOCKET="$work/socket"
export POCL_CACHE_DIR="$work/cache/pocl" # of the benchmark's own programs; the service's workers have the same
mkdir -p "$POCL_CACHE_DIR"
service=""

stop_service() {
	[ -z "$service" ] || kill "$service" 2>/dev/null || true
	wait "$service" 2>/dev/null || true
	service=""
}

start_service() {
	state=$1
	shift
	for program in service/mmtuned tuner/worker/mmtune-worker cli/mmtune; do
		[ -x "$build/$program" ] || { echo "$build/$program is missing: build it first" >&2 && exit 1; }
	done
	"$build/service/mmtuned" --user --socket "$MMTUNE_SOCKET" --state-directory "$state" \
		--cache-directory "$work/cache" "$@" 2>>"$work/log" &
	service=$!
	until mmtune status >/dev/null 2>&1; do
		kill -0 "$service" # it ended: the log says why
		sleep 0.1
	done
}

clean_up() {
	status=$?
	[ "$status" -eq 0 ] || tail -n 20 "$work/log" >&2
	stop_service
	rm -rf "$work"
	exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start_service "$work/state"
