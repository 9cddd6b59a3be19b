# What is exported is what was tried: T4 JSON with the members that its schema
# requires, CSV with as many lines, by problem, and in pages.
. "$SOURCE/tests/system/lib.sh"
export MMTUNE_FAKE='devices=gpu:Fake "GPU"; wrong_result=@-DTILE=8; crash=@-DTILE=16 -DPAD=1; seed=3'
start_service --set tuning.background_budget_s=0 --set tuning.builders=0 \
	--set service.worker="$BUILD/tests/fake/fake-worker"
for order in 100 200; do
	mmtune tune --device gpu0 --order "$order" --variant tiled --strategy exhaustive --budget 120s >/dev/null
done

# lines FILE: its results, one a line.
lines() { grep '^{"timestamp":' "$1" | sed 's/,$//'; }
trials=$(mmtune status --json | sed 's/.*"trials":\([0-9]*\).*/\1/')
mmtune export --output "$work/all.json"
head -n 1 "$work/all.json" | grep -qx '{"schema_version":"1.0.0","results":\[' || fail "the head: $(head -n 1 "$work/all.json")"
tail -n 1 "$work/all.json" | grep -qE '^\],"Mmtune":\{"devices":\[\{"name":"gpu0","fingerprint":"[0-9a-f]{64}","properties":\{' ||
	fail "the end: $(tail -n 1 "$work/all.json")"
lines "$work/all.json" >"$work/results"
[ "$(wc -l <"$work/results")" -eq "$trials" ] || fail "$(wc -l <"$work/results") results of $trials trials"
for member in configuration times invalidity correctness measurements objectives; do
	grep -v "\"$member\":" "$work/results" && fail "results without '$member'"
done
for pair in 'correctness":0.0.*"outcome":"wrong_result' 'runtime","correctness":0.0.*"outcome":"crashed' \
	'"invalidity":"correct","correctness":1.0.*"name":"time","value":[0-9.e-]*,"unit":"ms".*"variant":"tiled"'; do
	grep -q "$pair" "$work/results" || fail "no result like $pair: $(tail -n 3 "$work/results")"
done

# A part of it, and the same by CSV; a page after the other gives the whole.
mmtune export --order 200 --family matmul >"$work/part.json"
lines "$work/part.json" | grep -v '"m":200' && fail "results of other problems"
mmtune export --order 200 --family matmul --csv >"$work/part.csv"
[ "$(wc -l <"$work/part.csv")" -eq $((1 + $(lines "$work/part.json" | wc -l))) ] || fail "CSV has $(wc -l <"$work/part.csv") lines"
grep -q ',gpu0,"[^"]*",matmul,200,200,200,nn,f32,native,tiled,"{""TILE"":' "$work/part.csv" || fail "$(sed -n 2p "$work/part.csv")"
if command -v python3 >/dev/null; then
	python3 - "$MMTUNE_SOCKET" "$trials" <<-'END' || fail "the pages are not the whole"
		import json, socket, sys

		stream = socket.socket(socket.AF_UNIX)
		stream.connect(sys.argv[1])
		after, stamps = 0, 0
		while after is not None:
		    call = {"method": "org.mmtune.Tuner.Export", "parameters": {"limit": 7, "after": after}}
		    stream.sendall(json.dumps(call).encode() + b"\0")
		    reply = b""
		    while not reply.endswith(b"\0"):
		        reply += stream.recv(65536)
		    page = json.loads(reply[:-1])["parameters"]
		    assert len(page["document"]["results"]) <= 7
		    stamps, after = stamps + len(page["document"]["results"]), page["next"]
		assert stamps == int(sys.argv[2]), stamps
	END
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/all.json" || fail "it is no JSON"
fi

expect 2 'either --csv or --json' mmtune export --csv --json
expect 4 'no device' mmtune export --device nosuch
expect 1 "cannot write '/nosuch/file'" mmtune export --output /nosuch/file
expect 1 "cannot write '/dev/full': No space left" mmtune export --output /dev/full
stop_service
echo before >"$work/kept"
expect 3 '.' mmtune export --output "$work/kept"
[ "$(cat "$work/kept")" = before ] || fail "a failed export emptied its file"
