# Jobs over unusual spaces, on a device made of a string: one that is killed at half its budget evaluates nothing
# twice; one of which every candidate fails says so; one of a thousand million raw combinations is searched at once.
. "$SOURCE/tests/system/lib.sh"

# drop NAME PARAMETERS CONDITIONS: a kernel with these, in T1's words.
drop() {
	cat >"$work/kernels/matmul/$1.json" <<JSON
{"ConfigurationSpace": {"TuningParameters": [$2], "Conditions": [$3]},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "matmul", "KernelFile": "$1.cl", "GlobalSizeType": "OpenCL",
  "GlobalSize": {"X": "ProblemSize[1]", "Y": "ProblemSize[0]"}, "LocalSize": {"X": "1", "Y": "1"},
  "Arguments": [{"Name": "m"}, {"Name": "n"}, {"Name": "k"}, {"Name": "alpha"}, {"Name": "a"}, {"Name": "lda"},
   {"Name": "b"}, {"Name": "ldb"}, {"Name": "beta"}, {"Name": "c"}, {"Name": "ldc"}]},
 "Mmtune": {"Family": "matmul", "Types": ["f32"]}}
JSON
	echo '__kernel void matmul(void) {}' >"$work/kernels/matmul/$1.cl"
}
# parameters VALUES NAME...: with the same values each.
parameters() {
	values=$1
	shift
	for name in "$@"; do
		printf '{"Name": "%s", "Type": "int", "Values": "%s", "Default": 1},' "$name" "$values"
	done | sed 's/,$//'
}
conditions() {
	for condition in "$@"; do
		printf '{"Expression": "%s"},' "$condition"
	done | sed 's/,$//'
}
start() {
	start_service --set service.worker="$BUILD/tests/fake/fake-worker" --set service.kernel_directory="$work/kernels" \
		--set tuning.background_budget_s=0 --set tuning.finalists=1
}
last() { tail -n 1 "$work/out" | grep -oE "\"$1\":[^,}]*" | head -1 | cut -d: -f2-; }
# trials JOB: its rows, one a line.
trials() { mmtune history --trials --job "$1" --json --limit 0 | records trial | grep '"trial":'; }
until_trials() { # JOB COUNT
	tried=$1 wanted=$2
	until_true '[ "$(trials "$tried" | wc -l)" -ge "$wanted" ]' \
		'job $tried has $(trials "$tried" | wc -l) trials, not yet $wanted: $(mmtune jobs --json)'
}

mkdir -p "$work/kernels/matmul"
drop cube "$(parameters '[1, 2, 4, 8, 16, 32, 64]' TX TY TZ)" ""
drop faulty "$(parameters '[1, 2, 4, 8, 16]' BAD)" ""
drop tight "$(parameters 'range(1, 11)' A B C D E F G H I)" \
	"$(conditions 'A * B <= 12' 'C == A' 'D == B' 'E == C' 'F == D' 'G == E' 'H == F' 'I % 5 == 0')"
export MMTUNE_FAKE='best=TX:8,TY:16,TZ:16; build_failed=@-DBAD=; delay_ms=2'
start

# Killed at half its budget of evaluations. The finals measure the best once more.
mmtune tune --order 1000 --variant cube --evaluations 200 --no-wait >"$work/job"
job=$(grep -oE '[0-9]+' "$work/job" | head -1)
until_trials "$job" 100
kill -9 "$service"
wait "$service" 2>/dev/null || true
start
until_done "$job"
mmtune jobs --json | records job | grep "\"job\":$job," | grep -q '"evaluations":200[,}]' || fail "not 200 evaluations: $(mmtune jobs --json)"
trials "$job" | grep -oE '"parameters":\{[^}]*\}' | sort >"$work/configurations"
all=$(wc -l <"$work/configurations") different=$(sort -u "$work/configurations" | wc -l)
[ "$different" -eq 200 ] || fail "200 evaluations of $different configurations"
[ "$all" -le 201 ] || fail "$all rows: more than the best were measured twice: $(uniq -d "$work/configurations")"

# What is known is not measured again: 343 in all.
mmtune tune --order 1000 --variant cube --strategy exhaustive --budget 60s --json >"$work/out"
[ "$(last evaluations)" -eq 143 ] || fail "of 343 configurations 143 were left: $(tail -n 1 "$work/out")"

# Every candidate fails.
status=0
mmtune tune --order 1000 --variant faulty --json >"$work/out" 2>"$work/err" || status=$?
[ "$status" -eq 1 ] || fail "a space that fails as a whole ended with status $status"
grep -q 'no valid configuration: .*as MMTUNE_FAKE says' "$work/err" || fail "it said: $(cat "$work/err")"
tail -n 1 "$work/out" | grep -q '"state":"failed"' || fail "its job ended as $(tail -n 1 "$work/out")"
tail -n 1 "$work/out" | grep -q '"outcomes":{"build_failed":5}' || fail "its outcomes: $(tail -n 1 "$work/out")"

# 10^9 raw combinations, of which 62 are valid (31 pairs A, B; two values of I).
mmtune tune --order 1000 --variant tight --strategy exhaustive --json >"$work/out"
[ "$(last evaluations)" -eq 62 ] || fail "not 62 valid configurations: $(tail -n 1 "$work/out")"
[ "$(last elapsed_s | cut -d. -f1)" -lt 20 ] || fail "it took $(last elapsed_s) s"
stop_service
