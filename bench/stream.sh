#!/bin/sh
# The copy family's best against copies in C by all cores, in one run.
#	bench/stream.sh [--budget 30s] [--seconds 3] [--csv] [BUILD FOLDER]	(default: build/release)
set -eu
cd "$(dirname "$0")/.."
budget=30s seconds=3 csv="" build=$PWD/build/release
while [ $# -gt 0 ]; do
	case $1 in
	--budget) budget=$2 && shift ;;
	--seconds) seconds=$2 && shift ;;
	--csv) csv=--csv ;;
	-*)
		sed -n '2,3s/^# *//p' "$0" >&2
		exit 2
		;;
	*) build=$(cd "$1" && pwd) ;;
	esac
	shift
done
# shellcheck source=bench/service.sh
. bench/service.sh

copy="--family copy --m 1 --n 67108864 --k 1" # 256 MiB an array: past the caches
# shellcheck disable=SC2086
mmtune tune $copy --budget "$budget" >/dev/null
mmtune pause >/dev/null
# shellcheck disable=SC2086
mmtune query $copy --json --source | "$build/bench/bench-stream" --seconds "$seconds" $csv
