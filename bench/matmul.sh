#!/bin/sh
# Matrix products: the best plans against OpenBLAS and CLBlast, each table from one run in turn.
#	bench/matmul.sh [--budget 60s] [--seconds 3] [--csv] [--orders '256 1000 1024 2000']
#		[--clblast-tuned FOLDER] [BUILD FOLDER]
# Tunes each problem for the budget in a service of its own, then measures the answers: orders in f32 and f64; then
# transposes and odd sizes against the aligned product of like volume. Default build folder: build/release.
set -eu
cd "$(dirname "$0")/.."
budget=60s seconds=3 csv="" tuned="" orders="256 1000 1024 2000" build=$PWD/build/release
while [ $# -gt 0 ]; do
	case $1 in
	--budget) budget=$2 && shift ;;
	--seconds) seconds=$2 && shift ;;
	--orders) orders=$2 && shift ;;
	--clblast-tuned) tuned=$(cd "$2" && pwd) && shift ;;
	--csv) csv=--csv ;;
	-*)
		sed -n '2,6s/^# *//p' "$0" >&2
		exit 2
		;;
	*) build=$(cd "$1" && pwd) ;;
	esac
	shift
done
# shellcheck source=bench/service.sh
. bench/service.sh

# ask NAME PROBLEM...: later; the answer will be NAME.json.
ask() {
	name=$1
	shift
	echo "mmtune query $* --json --source >$work/$name.json" >>"$work/queries"
}

tune() {
	ask "$@"
	shift
	echo "tuning $* for $budget" >&2
	mmtune tune "$@" --budget "$budget" >/dev/null
}

for type in f32 f64; do
	for order in $orders; do
		tune "$type-$order" --order "$order" --type "$type"
	done
done
for trans in nt tn tt; do
	tune "f32-1024-$trans" --order 1024 --trans "$trans"
done
tune f32-1013 --order 1013
tune f32-208 --order 208
tune f32-odd --m 130 --n 293 --k 237
for order in 1000 1024; do
	grep -q "/f32-$order.json" "$work/queries" || tune "f32-$order" --order "$order"
done
for type in f32 f64; do # as the service has measured its peaks
	ask "peak-$type" --family madd --m 1 --n 1048576 --k 3072 --type "$type"
done
# A result over the peak has it measured again: then ask. Nothing runs in the background while it is measured.
until mmtune status --json | grep -q '"jobs_pending":0'; do sleep 0.5; done
# shellcheck disable=SC1091
. "$work/queries"
mmtune pause >/dev/null

blas() {
	"$build/bench/bench-blas" --seconds "$seconds" $csv --peaks "$work/peak-f32.json" "$work/peak-f64.json" "$@"
}
[ -n "$csv" ] || echo "== square, against the libraries"
set --
for found in ${tuned:+"$tuned"/clblast_xgemm*.json}; do
	set -- "$@" --clblast-tuned "$found"
done
for type in f32 f64; do
	for order in $orders; do
		set -- "$@" "$work/$type-$order.json"
	done
done
blas "$@"
[ -n "$csv" ] || echo "== transposes and odd orders; against: the rate of order 1024, nn"
blas --no-clblast --against "$work/f32-1024.json" "$work/f32-1024-nt.json" "$work/f32-1024-tn.json" \
	"$work/f32-1024-tt.json" "$work/f32-1000.json" "$work/f32-1013.json"
[ -n "$csv" ] || echo "== small, odd; against: the rate of order 208, of like volume"
blas --no-clblast --against "$work/f32-208.json" "$work/f32-odd.json"
