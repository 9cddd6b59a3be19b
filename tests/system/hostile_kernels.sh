# Kernels dropped in that loop for ever, write wrong values, do not build, or
# kill their process: each is a recorded outcome, the service answers all the
# while, and the run ends with a right winner.
. "$SOURCE/tests/system/lib.sh"

drop() { # NAME BODY: a matmul variant of one work-item an element
	cat >"$work/kernels/matmul/$1.json" <<JSON
{"ConfigurationSpace": {"TuningParameters": [{"Name": "ONE", "Type": "int", "Values": "[1]", "Default": 1}], "Conditions": []},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "matmul", "KernelFile": "$1.cl", "GlobalSizeType": "OpenCL",
  "GlobalSize": {"X": "ProblemSize[1]", "Y": "ProblemSize[0]"}, "LocalSize": {"X": "1", "Y": "1"},
  "Arguments": [{"Name": "m", "Type": "int32", "MemoryType": "Scalar"}, {"Name": "n", "Type": "int32", "MemoryType": "Scalar"},
   {"Name": "k", "Type": "int32", "MemoryType": "Scalar"}, {"Name": "alpha", "Type": "float", "MemoryType": "Scalar"},
   {"Name": "a", "Type": "float", "MemoryType": "Vector"}, {"Name": "lda", "Type": "int32", "MemoryType": "Scalar"},
   {"Name": "b", "Type": "float", "MemoryType": "Vector"}, {"Name": "ldb", "Type": "int32", "MemoryType": "Scalar"},
   {"Name": "beta", "Type": "float", "MemoryType": "Scalar"}, {"Name": "c", "Type": "float", "MemoryType": "Vector"},
   {"Name": "ldc", "Type": "int32", "MemoryType": "Scalar"}]},
 "Mmtune": {"Family": "matmul", "Summary": "misbehaves", "Types": ["f32"], "Accuracy": "native", "Priority": {"cpu": 1000, "gpu": 1000, "acc": 1000}}}
JSON
	cat >"$work/kernels/matmul/$1.cl" <<CL
__kernel void matmul(int m, int n, int k, REAL alpha, __global const REAL *a, int lda, __global const REAL *b, int ldb,
		     REAL beta, __global REAL *c, int ldc)
{
	size_t i = get_global_id(1), j = get_global_id(0);
	REAL sum = 0;
	for (int p = 0; p < k; p++)
		sum += a[i * lda + p] * b[p * (size_t)ldb + j];
	$2
}
CL
}

mkdir -p "$work/kernels/matmul"
drop hostile_loop 'for (volatile int forever = 1; forever;) c[i * ldc + j] = sum;'
drop hostile_crash '*(volatile __global int *)(size_t)(16 + i) = 1;'
drop hostile_syntax 'this is not a program;'
drop hostile_nan 'c[i * ldc + j] = i == m / 2 && j == n / 2 ? NAN : alpha * sum;'
drop hostile_unwritten 'if (i != m / 3 || j != n / 3) c[i * ldc + j] = alpha * sum;'
drop hostile_one_off 'c[i * ldc + j] = alpha * sum + (i == m / 2 && j == n / 3 ? (REAL)1 : (REAL)0);'
drop hostile_beta 'c[i * ldc + j] = alpha * sum;'
drop hostile_overrun 'c[i * ldc + j] = alpha * sum; if (i == m - 1 && j == n - 1) c[i * ldc + j + 1] = sum;'

start_service --set service.kernel_directory="$work/kernels" --set tuning.launch_deadline_s=2 --set tuning.crash_limit=20 \
	--set tuning.background_budget_s=0 --set tuning.worker_nice=10
need_device
mmtune kernels --json | grep -q '"name":"hostile_loop"' || fail "the dropped-in kernels are not listed: $(cat "$work/log")"
mmtune tune --order 96 --evaluations 20 --budget 120s >"$work/out" 2>&1 &
tune=$!
milliseconds() { # COMMAND...: what it takes
	start=$(date +%s%N)
	"$@" >/dev/null || return 1
	echo $((($(date +%s%N) - start) / 1000000))
}
# Answers all the while, the loop's too: each within a second, and nineteen of twenty well under 100 ms, process start
# included. (A kernel that takes the processes of half a gigabyte apart that die here may hold up any program for 200 ms.)
in_time=0 late=0
while kill -0 $tune 2>/dev/null; do
	elapsed=$(milliseconds mmtune query --order 96 --json) || fail "no answer while tuning"
	[ "$elapsed" -lt 1000 ] || fail "an answer took $elapsed ms while a kernel loops"
	if [ "$elapsed" -le 100 ]; then
		in_time=$((in_time + 1))
	else
		late=$((late + 1))
	fi
	sleep 0.1
done
[ "$in_time" -ge 10 ] || fail "only $in_time answers came within 100 ms"
[ $((late * 20)) -le $((in_time + 19)) ] || fail "$late answers of $((in_time + late)) took more than 100 ms"
wait $tune || fail "mmtune tune ended with $?: $(cat "$work/out")"
mmtune history --trials --json --limit 0 >"$work/trials"
outcome() { # NAME OUTCOMES
	records trial <"$work/trials" | grep "\"variant\":\"$1\"" | grep -qE "\"outcome\":\"($2)\"" ||
		fail "$1 is not recorded as $2: $(records trial <"$work/trials" | grep "$1")"
	! records trial <"$work/trials" | grep "\"variant\":\"$1\"" | grep -q '"outcome":"ok"' || fail "$1 counted as ok"
}
outcome hostile_loop timeout
outcome hostile_crash crashed
outcome hostile_syntax build_failed
outcome hostile_nan wrong_result
outcome hostile_unwritten wrong_result
outcome hostile_one_off wrong_result
outcome hostile_overrun wrong_result
mmtune query --order 96 --json --source >"$work/answer.json"
grep -q '"match":"exact"' "$work/answer.json" || fail "no winner beside the hostile kernels"
! grep -q '"variant":"hostile' "$work/answer.json" || fail "a hostile kernel won: $(head -c 200 "$work/answer.json")"
"$BUILD/tests/system/test-launch" --alpha 2 --beta 0.5 <"$work/answer.json"
stop_service
