# Builds ahead, on a real device: what a builder has built costs the worker
# little; a builder that dies takes one candidate with it; none outlives a
# service that is killed.
. "$SOURCE/tests/system/lib.sh"

# building FOLDER ORDER: milliseconds that the worker spent building in a small job that began with no cache.
building() {
	export POCL_CACHE_DIR="$work/$1"
	mkdir "$POCL_CACHE_DIR"
	start_service --set tuning.background_budget_s=0
	need_device
	mmtune tune --order "$2" --variant tiled --evaluations 6 --budget 60s >/dev/null
	mmtune export --order "$2" | grep -oE '"compilation_time": ?[0-9.e+-]+' | sed 's/.*[: ]//' |
		awk '{ sum += $1 } END { print sum }'
	stop_service
}
alone=$(MMTUNE_BUILDERS=0 building cold 96)
ahead=$(MMTUNE_BUILDERS=2 building ahead 97)
awk -v alone="$alone" -v ahead="$ahead" 'BEGIN { exit !(ahead < 0.6 * alone) }' ||
	fail "the worker built for $ahead ms with builders, $alone ms without"

export MMTUNE_BUILDERS=2
start_service --set tuning.background_budget_s=0
# Builders are the workers with the highest niceness.
builders() { pgrep -P "$1" -f mmtune-worker | while read -r pid; do
	[ "$(ps -o ni= -p "$pid" | tr -d ' ')" != 19 ] || echo "$pid"
done; }
trials() { mmtune status --json | sed 's/.*"trials":\([0-9]*\).*/\1/'; }

mmtune tune --order 100 --strategy random --budget 600s --no-wait >/dev/null
until_true '[ -n "$(builders "$service")" ]'
until_true 'kill -9 $(builders "$service" | head -1) 2>/dev/null; mmtune history --trials --json --limit 0 | grep -q "\"outcome\":\"crashed\""'
before=$(trials)
until_true '[ "$(trials)" -gt $((before + 2)) ]'

until_true '[ -n "$(builders "$service")" ]'
orphans=$(workers)
kill -9 "$service"
wait "$service" 2>/dev/null || true
service=""
# shellcheck disable=SC2086
until_gone $orphans
