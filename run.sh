#!/bin/sh
# The main job, end to end: installs what is missing, builds, starts a private
# mmtuned, tunes matrix multiplication of order 1000 on the first OpenCL device
# and prints the answer that a program would get. Everything it makes but the
# installed packages is below build/. Can be run again: it then starts from
# what the last run recorded.
#
#	./run.sh [--device NAME] [--order N] [--budget 60s]
set -eu
cd "$(dirname "$0")"

device="" order=1000 budget=60s
while [ $# -gt 0 ]; do
	case $1 in
	--device | --order | --budget)
		if [ $# -lt 2 ]; then
			echo "run.sh: $1 needs a value" >&2
			exit 2
		fi
		case $1 in
		--device) device=$2 ;;
		--order) order=$2 ;;
		--budget) budget=$2 ;;
		esac
		shift 2
		;;
	-h | --help)
		sed -n '2,8s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	*)
		echo "run.sh: unknown option '$1'; try ./run.sh --help" >&2
		exit 2
		;;
	esac
done

echo "== packages"
.ci/packages build

echo "== build (build/release)"
cmake --preset release --log-level=WARNING -DBUILD_TESTING=OFF
cmake --build --preset release -- --quiet

bin=$PWD/build/release
run=$PWD/build/run
mkdir -p "$run"
PATH=$bin/cli:$PATH
# A Unix socket's path ends at 107 bytes; below a long one, go there and use a short name.
MMTUNE_SOCKET=$run/socket
if [ ${#MMTUNE_SOCKET} -gt 100 ]; then
	cd "$run"
	MMTUNE_SOCKET=./socket
fi
export MMTUNE_SOCKET

echo "== a private mmtuned (socket, database and log in build/run)"
"$bin/service/mmtuned" --user --socket "$MMTUNE_SOCKET" --state-directory "$run/state" \
	--cache-directory "$run/cache" >"$run/mmtuned.log" 2>&1 &
service=$!
trap 'kill "$service" 2>/dev/null || true; wait "$service" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
tries=0
until mmtune status >/dev/null 2>&1; do
	tries=$((tries + 1))
	if [ "$tries" -gt 100 ] || ! kill -0 "$service" 2>/dev/null; then
		echo "run.sh: mmtuned did not start; its log:" >&2
		cat "$run/mmtuned.log" >&2
		exit 1
	fi
	sleep 0.1
done

echo "== devices"
mmtune devices
[ -n "$device" ] || device=$(mmtune devices --names | head -n 1)
if [ -z "$device" ]; then
	echo "run.sh: there is no OpenCL device; mmtune devices says why above" >&2
	exit 4
fi
set -- --device "$device" --order "$order"

echo "== tune: mmtune tune $* --budget $budget"
mmtune tune "$@" --budget "$budget"

echo "== answer: mmtune query $*"
mmtune query "$@"
