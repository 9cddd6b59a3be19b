# A dropped-in kernel of which the list of values is widened while the service runs: SIGHUP reads it anew, also in the
# middle of a job, and tuning measures what is new and nothing else.
. "$SOURCE/tests/system/lib.sh"

widen() { # VALUES: the values of a parameter of a kernel dropped in
	cat >"$work/kernels/matmul/plain.json" <<JSON
{"ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Type": "int", "Values": "[$1]", "Default": 1}], "Conditions": []},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "matmul", "KernelFile": "plain.cl", "GlobalSizeType": "OpenCL",
  "GlobalSize": {"X": "ProblemSize[1]", "Y": "ProblemSize[0]"}, "LocalSize": {"X": "1", "Y": "1"},
  "Arguments": [{"Name": "m"}, {"Name": "n"}, {"Name": "k"}, {"Name": "alpha"}, {"Name": "a"}, {"Name": "lda"}, {"Name": "b"},
   {"Name": "ldb"}, {"Name": "beta"}, {"Name": "c"}, {"Name": "ldc"}]},
 "Mmtune": {"Family": "matmul", "Summary": "plain", "Types": ["f32"], "Accuracy": "native"}}
JSON
}

mkdir -p "$work/kernels/matmul"
widen 1
cat >"$work/kernels/matmul/plain.cl" <<'CL'
__kernel void matmul(int m, int n, int k, REAL alpha, __global const REAL *a, int lda, __global const REAL *b, int ldb,
		     REAL beta, __global REAL *c, int ldc)
{
	size_t i = get_global_id(1), j = get_global_id(0);
	REAL sum = 0;
	for (int p = 0; p < k; p++)
		sum += (TRANS_A ? a[p * (size_t)lda + i] : a[i * lda + p]) * (TRANS_B ? b[j * ldb + p] : b[p * (size_t)ldb + j]);
	c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);
}
CL

start_service --set service.kernel_directory="$work/kernels" --set tuning.background_budget_s=0 \
	--set tuning.finalists=1 --set tuning.finalist_rounds=1
need_device

evaluations() { tail -n 1 "$1" | grep -o '"evaluations":[0-9]*' | head -1 | grep -o '[0-9]*$'; }
reread() { # VALUES: as the service knows them
	values=$1
	kill -HUP "$service"
	until_true 'mmtune kernels --json | grep -q "\"name\":\"plain\".*\"values\":\[$values\]"' \
		'the values $values were not read anew: $(mmtune kernels --json | records name | grep plain)'
}

# A space of one.
mmtune tune --order 64 --variant plain --json >"$work/one"
[ "$(evaluations "$work/one")" -eq 1 ] || fail "a space of one: $(tail -n 1 "$work/one")"
mmtune query --order 64 --json | grep -q '"match":"exact"' || fail "a space of one has no winner"

widen '1, 2, 4'
reread '1,2,4'
mmtune query --order 64 --json | grep -q '"match":"exact"' || fail "a wider space made the winner no winner"
mmtune tune --order 64 --variant plain --json >"$work/wider"
[ "$(evaluations "$work/wider")" -eq 2 ] || fail "of three values two were new: $(tail -n 1 "$work/wider")"
mmtune tune --order 64 --variant plain --json >"$work/again"
[ "$(evaluations "$work/again")" -eq 0 ] || fail "nothing was new: $(tail -n 1 "$work/again")"

# In the middle of a job: it stops for it and goes on to its end.
mmtune tune --order 128 --variant element --strategy random --evaluations 16 --json >"$work/long" &
tune=$!
until_true '[ -s "$work/long" ] && [ "$(evaluations "$work/long")" -ge 2 ]' 'the job does not begin: $(cat "$work/long")'
widen '1, 2, 4, 8'
reread '1,2,4,8'
wait $tune || fail "the job did not outlive SIGHUP: $(tail -n 1 "$work/long")"
tail -n 1 "$work/long" | grep -q '"state":"done"' || fail "the job ended otherwise: $(tail -n 1 "$work/long")"
mmtune history --trials --json --limit 0 | records trial | grep '"m":128,' | grep -c '"outcome":"crashed"' | grep -qx 0 ||
	fail "SIGHUP crashed a candidate"
stop_service
