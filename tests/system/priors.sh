# What was found for one size is where the search for another begins.
. "$SOURCE/tests/system/lib.sh"
start_service --set tuning.finalists=1 --set tuning.finalist_rounds=1
need_device

configurations() { grep -o '"variant":"[^"]*","parameters":{[^}]*}' "$1"; }

mmtune tune --order 128 --evaluations 10 --json >"$work/first"
mmtune query --order 128 --json >"$work/answer"
winner=$(configurations "$work/answer")
[ -n "$winner" ] || fail "no answer after tuning: $(cat "$work/answer")"

mmtune tune --order 160 --evaluations 4 --json >"$work/second"
job=$(tail -n 1 "$work/second" | grep -o '"job":[0-9]*' | head -1 | grep -o '[0-9]*')
mmtune history --trials --job "$job" --json --limit 0 | records trial >"$work/trials"
configurations "$work/trials" | tail -n 4 >"$work/earliest" # newest first
grep -qxF "$winner" "$work/earliest" || fail "the winner of order 128, $winner, was not tried early at 160: $(cat "$work/earliest")"
stop_service
