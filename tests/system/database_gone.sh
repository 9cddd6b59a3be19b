# What befalls the database while the service runs: deleted, it is written anew, whole; locked at the start, it is
# opened when the lock goes.
. "$SOURCE/tests/system/lib.sh"
command -v sqlite3 >/dev/null || { echo "no sqlite3: skipped" >&2; exit 77; }

note() { mmtune status --json | grep -o '"database_note":[^,]*'; }
until_note() { # PATTERN
	noted=$1
	until_true 'note | grep -q "$noted"' "the status has no note of '\$noted': \$(note)"
}

export MMTUNE_FAKE='devices=cpu:A'
start() { start_service --set service.worker="$BUILD/tests/fake/fake-worker" --set tuning.background_budget_s=0; }
start
mmtune tune --order 64 --evaluations 3 >/dev/null
mmtune history --trials --json --limit 0 >"$work/before"
rm "$work/state/mmtune.db"
until_note "deleted"
[ -f "$work/state/mmtune.db" ] || fail "the database was not written anew"
# Away for a while and back: the note goes too.
mv "$work/state" "$work/away"
until_note "copying"
mv "$work/away" "$work/state"
until_note null
mmtune tune --order 80 --evaluations 3 >/dev/null
rm "$work/state/mmtune.db" # the end comes before the next look
stop_service
start
for order in 64 80; do
	mmtune query --order "$order" --json | grep -q '"match":"exact"' || fail "order $order is lost"
done
stop_service

# An exclusive lock at the start.
mkfifo "$work/pipe"
sh -c 'sqlite3 "$1" <"$2" >"$3"' - "$work/state/mmtune.db" "$work/pipe" "$work/locked" &
holder=$!
exec 3>"$work/pipe"
echo 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; SELECT count(*) FROM trials;' >&3
until_true '[ -s "$work/locked" ]'
start
note | grep -q "will not last" || fail "the service says nothing of the lock: $(note)"
mmtune query --order 64 --json >/dev/null || fail "no answer beside a lock"
echo .quit >&3
exec 3>&-
wait $holder
until_note null
mmtune query --order 64 --json | grep -q '"match":"exact"' || fail "what the database has is not served after the lock went"
mmtune tune --order 96 --evaluations 3 >/dev/null
[ "$(sqlite3 "$work/state/mmtune.db" "SELECT count(*) FROM problems WHERE json LIKE '%\"m\":96,%'")" -eq 1 ] ||
	fail "what was found after the lock went is not in the database"
stop_service
