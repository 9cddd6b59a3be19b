#!/bin/sh
# Whether tuning again gives the same: `auto` from empty databases, seed by seed, against a long random search.
#	bench/repeat.sh [--order 1000] [--type f32] [--random 30m] [--budget 60s] [--seeds 10] [--seconds 60] [--csv]
#		[--answers FOLDER] [BUILD FOLDER]
# Tunes the order by `random` once and by `auto` with each seed 1, 2, ..., then measures all winners in turn in one
# process, for so many seconds. --answers keeps the answers; one that is there already is not tuned again, so that a
# run can be continued. Default build folder: build/release.
set -eu
cd "$(dirname "$0")/.."
order=1000 type=f32 random=30m budget=60s seeds=10 seconds=60 csv="" answers="" build=$PWD/build/release
while [ $# -gt 0 ]; do
	case $1 in
	--order) order=$2 && shift ;;
	--type) type=$2 && shift ;;
	--random) random=$2 && shift ;;
	--budget) budget=$2 && shift ;;
	--seeds) seeds=$2 && shift ;;
	--seconds) seconds=$2 && shift ;;
	--answers) mkdir -p "$2" && answers=$(cd "$2" && pwd) && shift ;;
	--csv) csv=--csv ;;
	-*)
		sed -n '2,7s/^# *//p' "$0" >&2
		exit 2
		;;
	*) build=$(cd "$1" && pwd) ;;
	esac
	shift
done
# shellcheck source=bench/service.sh
. bench/service.sh
answers=${answers:-$work}

# tune NAME STRATEGY BUDGET [OPTION...]: in a database of its own; the answer is NAME.json.
tune() {
	answer=$answers/$1-$type-$order.json
	[ ! -s "$answer" ] || return 0
	echo "$1: order $order, $type, strategy $2 for $3" >&2
	name=$1 strategy=$2 limit=$3
	shift 3
	stop_service
	start_service "$work/state-$name"
	mmtune tune --order "$order" --type "$type" --strategy "$strategy" --budget "$limit" "$@" >/dev/null
	mmtune query --order "$order" --type "$type" --json --source >"$work/answer"
	mv "$work/answer" "$answer"
}

tune random random "$random"
base=$answer
set --
for seed in $(seq "$seeds"); do
	tune "auto-$seed" auto "$budget" --seed "$seed"
	set -- "$@" "$answer"
	"$build/bench/bench-repeat" --seconds 2 "$base" "$answer" >"$work/partial"
	sed -n '3p' "$work/partial" >&2
done
stop_service
"$build/bench/bench-repeat" --seconds "$seconds" $csv "$base" "$@"
