#!/bin/sh
# The figures of answering, each a ratio against a peer in the same run:
#   a hot query against an echo server, idle and while a job is tuning;
#   `mmtune query` as a process against `redis-cli get`; the idle service's size.
#	bench/answer.sh [BUILD FOLDER]		(default: build/release, as run.sh makes it)
set -eu
cd "$(dirname "$0")/.."
build=$PWD/${1:-build/release}
work=$(mktemp -d)
PATH=$build/cli:$PATH
export MMTUNE_SOCKET="$work/socket"
"$build/service/mmtuned" --user --socket "$MMTUNE_SOCKET" --state-directory "$work/state" \
	--cache-directory "$work/cache" 2>"$work/log" &
service=$!
redis=""
trap 'kill $service $redis 2>/dev/null || true; wait; rm -rf "$work"' EXIT
until mmtune status >/dev/null 2>&1; do sleep 0.1; done
mmtune tune --order 1000 --budget 10s >/dev/null

echo "== idle: resident memory, processor time over 5 s, open device files"
before=$(awk '{print $14 + $15}' /proc/$service/stat)
sleep 5
after=$(awk '{print $14 + $15}' /proc/$service/stat)
awk '/VmRSS/ {printf "resident %.1f MB\n", $2 / 1000}' /proc/$service/status
echo "processor time $(((after - before) * 1000 / $(getconf CLK_TCK))) ms"
echo "device files $(ls -l /proc/$service/fd | grep -cE '/dev/(dri|nvidia|kfd)' || true)"

echo "== hot query, service idle"
"$build/bench/bench-answer" --socket "$MMTUNE_SOCKET"
echo "== hot query while another order is tuned"
job=$(mmtune tune --order 1500 --budget 60s --no-wait)
sleep 3
"$build/bench/bench-answer" --socket "$MMTUNE_SOCKET"
mmtune cancel "$(echo "$job" | grep -oE '[0-9]+' | head -1)" >/dev/null
sleep 1

echo "== whole process"
redis-server --port 0 --unixsocket "$work/redis" --save "" --appendonly no >/dev/null &
redis=$!
until redis-cli -s "$work/redis" ping >/dev/null 2>&1; do sleep 0.1; done
redis-cli -s "$work/redis" set key "$(mmtune query --order 1000 --json)" >/dev/null
"$build/bench/bench-process" "$build/cli/mmtune query --device cpu0 --order 1000" "redis-cli -s $work/redis get key"
