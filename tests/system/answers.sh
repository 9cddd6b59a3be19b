# What the main job promises: tune, ask, launch the answer as it stands.
. "$SOURCE/tests/system/lib.sh"
start_service
need_device

# A cold database answers at once with default, for any size.
mmtune query --order 96 --json >"$work/cold.json"
grep -q '"match":"default"' "$work/cold.json" || fail "a cold query did not answer default: $(cat "$work/cold.json")"

mmtune tune --order 200 --evaluations 12 >/dev/null
mmtune query --order 200 --json --source >"$work/exact.json"
grep -q '"match":"exact"' "$work/exact.json" || fail "not exact after tuning: $(head -c 300 "$work/exact.json")"
for key in device device_name problem match stale measured_at driver variant parameters steps temporaries performance \
	entry build_options global_size local_size local_memory_bytes arguments source_sha256 source time_ns gflops \
	peak_gflops effective_bandwidth_gbps compulsory_bandwidth_gbps peak_bandwidth_gbps relative_error spread; do
	grep -q "\"$key\":" "$work/exact.json" || fail "the answer has no '$key'"
done

# bfloat16 needs nothing of the device: tuned, which verifies it, and answered as a ushort beside float scalars.
mmtune tune --order 70 --type bf16 --evaluations 4 >/dev/null
mmtune query --order 70 --type bf16 --json >"$work/bf16.json"
for text in '"match":"exact"' '"type":"bf16"' '-DREAL=ushort -DACCUMULATE=float' '"name":"alpha","type":"float"'; do
	grep -qF -- "$text" "$work/bf16.json" || fail "the answer in bf16 has no '$text': $(head -c 600 "$work/bf16.json")"
done

# Neighbours, odd and non-square sizes, transposes, double: right as they stand. The jobs that queries queue need not run
# for it.
mmtune pause >/dev/null
"$BUILD/tests/system/test-launch" <"$work/exact.json"
"$BUILD/tests/system/test-launch" --lda 5 --alpha 0.5 --beta -1 <"$work/exact.json"
for problem in "--order 213" "--m 130 --n 93 --k 237" "--order 1" "--order 17 --trans tt" "--m 65 --n 200 --k 40 --trans nt" \
	"--m 100 --n 33 --k 129 --trans tn --type f64" "--order 200 --type f64"; do
	# shellcheck disable=SC2086
	mmtune query $problem --json --source >"$work/near.json"
	grep -qE '"match":"(near|default|exact)"' "$work/near.json" || fail "no match for $problem"
	"$BUILD/tests/system/test-launch" <"$work/near.json" || fail "wrong result for $problem"
	"$BUILD/tests/system/test-launch" --lda 3 --alpha -1 --beta 0.5 <"$work/near.json" || fail "wrong GEMM for $problem"
done
grep -q . "$work/near.json"
until_true "mmtune jobs --json | grep -q '\"origin\":\"query\"'" 'an untuned size queued no job'
stop_service
