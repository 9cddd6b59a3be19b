# Queries that come faster than jobs are stored do not fill the queue past its limit; while it is full an ask more
# still moves a problem up, and the listing of it holds nobody up.
. "$SOURCE/tests/system/lib.sh"
command -v python3 >/dev/null || { echo "no python3: skipped" >&2; exit 77; }
export MMTUNE_FAKE='devices=gpu:A'
start_service --set service.worker="$BUILD/tests/fake/fake-worker"
mmtune pause >/dev/null
python3 - "$MMTUNE_SOCKET" <<'END'
import json, socket, sys

stream = socket.socket(socket.AF_UNIX)
stream.connect(sys.argv[1])
for order in range(1, 1001):  # more than the queue takes, fewer than are remembered as asked for
    call = {"method": "org.mmtune.Tuner.Query", "parameters": {"device": "gpu0", "m": order}}
    stream.sendall(json.dumps(call).encode() + b"\0")
    reply = b""
    while not reply.endswith(b"\0"):
        reply += stream.recv(65536)
END
mmtune query --order 5 >/dev/null
mmtune query --order 5 >/dev/null
pending() { mmtune status --json | grep -o '"jobs_pending":[0-9]*' | cut -d: -f2; }
until_true '[ "$(pending)" -ge 256 ]' 'only $(pending) jobs are queued'
[ "$(pending)" -le 260 ] || fail "$(pending) jobs are queued"
# The ask is answered at once and moves its job up a moment later.
first() { mmtune jobs --limit 0 | awk '$8 == "query" {print $5, $9; exit}'; }
until_true '[ "$(first)" = "5x5x5 3" ]' 'first is $(first), not 5x5x5, asked for 3 times'
stop_service
