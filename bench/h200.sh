#!/bin/sh
# One table for a machine with an NVIDIA GPU that has nothing else installed and a few minutes: builds, tunes a list of
# problems in a service of its own, and holds each against cuBLAS (PyTorch's) and CLBlast in the same run.
#	bench/h200.sh [--minutes 10] [--orders '1000 1024 2048 4096 8192'] [--shapes '4096x64x4096'] [--kinds 'f32 tf32 f64']
#		(f16 and bf16 are kinds, too)
#		[--device NAME] [--csv FILE] [--export FILE] [--packages DIR] [--clblast DIR] [--build DIR] [--no-extras]
# Every row is printed as soon as it is known; what takes too long is given up, and said so. Without a GPU or PyTorch
# it runs all the same, and their columns are empty. docs/benchmarks.md says what the columns are.
# shellcheck disable=SC2154 # work, service: bench/service.sh sets them
set -eu
cd "$(dirname "$0")/.."
minutes=10 orders="1000 1024 2048 4096 8192" shapes="4096x64x4096" kinds="f32 tf32 f64" device=""
csv="" export="" packages=${MMTUNE_PACKAGES:-} clblast="" build="" extras=yes
while [ $# -gt 0 ]; do
	case $1 in
	--minutes) minutes=$2 && shift ;;
	--orders) orders=$2 && shift ;;
	--shapes) shapes=$2 && shift ;;
	--kinds) kinds=$2 && shift ;;
	--device) device=$2 && shift ;;
	--csv) csv=$2 && shift ;;
	--export) export=$2 && shift ;;
	--packages) packages=$2 && shift ;;
	--clblast) clblast=$2 && shift ;;
	--build) build=$2 && shift ;;
	--no-extras) extras="" ;;
	*)
		sed -n '2,8s/^# *//p' "$0" >&2
		exit 2
		;;
	esac
	shift
done
now() { date +%s; }
began=$(now)
end=$((began + minutes * 60))
say() { echo "h200.sh: $*" >&2; }

# ---- what the machine lacks ----

# Debian packages unpacked into a folder (dpkg -x): compilers, headers and libraries are looked for there first.
if [ -n "$packages" ]; then
	packages=$(cd "$packages" && pwd)
	libraries=$packages/usr/lib/$(uname -m)-linux-gnu
	export PATH="$packages/usr/bin:$PATH" CPATH="$packages/usr/include" LIBRARY_PATH="$libraries" \
		LD_LIBRARY_PATH="$libraries:$packages/usr/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		PKG_CONFIG_PATH="$libraries/pkgconfig:$packages/usr/share/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$packages" \
		CMAKE_PREFIX_PATH="$packages/usr"
fi
[ -z "$clblast" ] || export LD_LIBRARY_PATH="$clblast${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

if [ -z "$build" ]; then
	build=$PWD/build/release
	if ! { timeout 300 cmake --preset release --log-level=WARNING -DBUILD_TESTING=OFF &&
		timeout 300 cmake --build --preset release -- --quiet; } >&2; then
		say "it cannot be built: give the packages of '.ci/packages build' by --packages, unpacked"
		exit 1
	fi
fi
build=$(cd "$build" && pwd)

# The loader's list of drivers: NVIDIA's file may be missing where its library is there, as in a container.
vendors=$(mktemp -d)
for icd in /etc/OpenCL/vendors/*.icd; do
	[ ! -f "$icd" ] || cp "$icd" "$vendors"
done
for icd in "$packages"/etc/OpenCL/vendors/*.icd; do # their paths are of the packages' own root
	[ -z "$packages" ] || [ ! -f "$icd" ] || basename "$(cat "$icd")" >"$vendors/$(basename "$icd")"
done
if ! grep -qs nvidia "$vendors"/*.icd; then
	for library in /usr/lib/*/libnvidia-opencl.so.1 /usr/lib64/libnvidia-opencl.so.1 /usr/local/nvidia/lib64/libnvidia-opencl.so.1; do
		[ ! -e "$library" ] || echo "$library" >"$vendors/nvidia.icd"
	done
fi
export OCL_ICD_VENDORS="$vendors"

gpu_memory() { timeout 10 nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | head -n 1 || true; }
memory_before=$(gpu_memory)

# ---- the service, the device, the peer ----

# shellcheck source=bench/service.sh
. bench/service.sh
stop_service
start_service "$work/state" --set tuning.background_budget_s=0
# Whatever happens, what was recorded is written out and nothing is left running.
finish() {
	status=$?
	trap - EXIT INT TERM
	[ -z "$peer" ] || kill "$peer" 2>/dev/null || true
	if [ -n "$export" ]; then
		if timeout 60 mmtune export --output "$export"; then
			say "the trials are in $export"
		else
			say "the export failed"
		fi
	fi
	[ "$status" -eq 0 ] || tail -n 20 "$work/log" >&2
	stop_service
	rm -rf "$work" "$vendors"
	exit "$status"
}
peer=""
trap finish EXIT

timeout 90 mmtune devices >&2
names=$(timeout 90 mmtune devices --names)
[ -n "$device" ] || device=$(echo "$names" | grep -m 1 '^gpu' || echo "$names" | head -n 1)
[ -n "$device" ] || { say "there is no OpenCL device" && exit 4; }
device_of() { timeout 90 mmtune devices --json | sed "s/{\"name\":/\n&/g" | grep -E "^\{\"name\":\"$1\"" || true; }
nvidia=""
if device_of "$device" | grep -qi nvidia; then nvidia=yes; fi

# PyTorch in one process for all questions: "gemm f32|tf32|f64|f16|bf16 M N K" in GFLOP/s, "copy BYTES" in GB/s, "-" where it
# cannot. Times are the device's own events, of as many runs as fill a tenth of a second, the median of five.
cat >"$work/peer.py" <<'END'
import statistics, sys
import torch
if not torch.cuda.is_available():
    sys.exit("no CUDA device")
def measure(run):
    for _ in range(3):
        run()
    def timing(count):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(count):
            run()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) / count / 1e3
    count = max(1, min(1000, int(0.1 / timing(1))))
    return statistics.median(timing(count) for _ in range(5))
def answer(words):
    if words[0] == "copy":
        a = torch.empty(int(words[1]), dtype=torch.uint8, device="cuda")
        b = torch.empty_like(a)
        return 2 * a.numel() / measure(lambda: b.copy_(a)) / 1e9
    torch.backends.cuda.matmul.allow_tf32 = words[1] == "tf32"
    m, n, k = (int(word) for word in words[2:])
    kind = {"f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}.get(words[1], torch.float32)
    a = torch.rand(m, k, dtype=kind, device="cuda") * 2 - 1
    b = torch.rand(k, n, dtype=kind, device="cuda") * 2 - 1
    c = torch.empty(m, n, dtype=kind, device="cuda")
    return 2.0 * m * n * k / measure(lambda: torch.mm(a, b, out=c)) / 1e9
print(torch.__version__, flush=True)
for line in sys.stdin:
    try:
        result = f"{answer(line.split()):.1f}"
    except Exception as error:
        print(error, file=sys.stderr)
        result = "-"
    torch.cuda.empty_cache()
    print(f"{line.strip()}: {result}", flush=True)
END
# ask QUESTION: the peer's answer, "-" without a peer or when it takes too long; an answer that comes late is skipped.
ask() {
	[ -n "$peer" ] || { echo - && return; }
	echo "$*" >&8
	while line=$(timeout 60 head -n 1 <&9) && [ -n "$line" ]; do
		case $line in "$*: "*) echo "${line#*: }" && return ;; esac
	done
	echo -
}
version=""
if command -v python3 >/dev/null; then
	mkfifo "$work/questions" "$work/answers"
	python3 "$work/peer.py" <"$work/questions" >"$work/answers" 2>>"$work/log" &
	peer=$!
	exec 8>"$work/questions" 9<"$work/answers"
	version=$(timeout 90 head -n 1 <&9 || true)
fi
if [ -n "$version" ]; then
	say "peer: PyTorch $version"
else
	peer=""
	say "there is no PyTorch that sees a CUDA device: the column cuBLAS is empty"
fi

# ---- tuning ----

# value KEY FILE: a number of an answer; "-" where it is null or absent.
value() { grep -oE "\"$1\":[0-9.eE+-]+" "$2" 2>/dev/null | head -n 1 | cut -d: -f2 | grep . || echo -; }
text() { grep -oE "\"$1\":\"[^\"]*\"" "$2" 2>/dev/null | head -n 1 | cut -d'"' -f4 | grep . || echo -; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a + 0 > 0 && b + 0 > 0) printf "%.2f", a / b; else printf "-" }'; }
tera() { awk -v a="$1" 'BEGIN { if (a + 0 > 0) printf "%.2f", a / 1000; else printf "-" }'; }

# tune SECONDS mmtune-tune's options: gives up some time after the budget, and what it found by then counts.
tune() {
	seconds=$1
	shift
	if ! timeout $((seconds + 45)) mmtune tune --device "$device" --budget "${seconds}s" "$@" >/dev/null 2>"$work/said"; then
		say "tune $*: $(tail -n 1 "$work/said")"
		for job in $(timeout 10 mmtune jobs --json | sed 's/{"job":/\n&/g' |
			sed -nE 's/^\{"job":([0-9]+),.*"state":"(running|queued)".*/\1/p'); do
			timeout 10 mmtune cancel "$job" >/dev/null 2>&1 || true
		done
	fi
}
answer() {
	file=$1
	shift
	timeout 30 mmtune query --device "$device" "$@" --json --source >"$file" 2>/dev/null || true
}

# A share of what is left, after a reserve for the lines at the end; parts: of the tunings still to come, this one included.
reserve=20
[ -z "$extras" ] || reserve=75
budget_for() {
	left=$((end - reserve - $(now)))
	share=$((left / $1 - 6)) # beside the search: the finals, and the peers
	[ "$share" -le 60 ] || share=60
	[ "$share" -ge 5 ] || share=5 # what comes last is left out
	[ "$left" -ge 9 ] || share=0
	echo "$share"
}

problems="" parts=0
for kind in $kinds; do
	for shape in $orders $shapes; do
		case $shape in *x*x*) ;; *) shape=${shape}x${shape}x${shape} ;; esac
		problems="$problems $kind:$shape"
		parts=$((parts + 1))
		[ -z "$nvidia" ] || [ "$kind" = tf32 ] || parts=$((parts + 1))
	done
done

header="problem kind variant gflops portable cublas clblast of_cublas of_clblast portable_of_clblast relative_error evaluations seconds"
format="%-15s %-4s %-18s %8s %8s %8s %8s %6s %6s %6s %9s %5s %4s\n"
[ -z "$csv" ] || echo "$header" | tr ' ' ',' >"$csv"
echo "== $device: $(device_of "$device" | grep -oE '"device_name":"[^"]*"' | cut -d'"' -f4), TFLOP/s"
# shellcheck disable=SC2059
printf "$format" problem kind variant mmtune portable cuBLAS CLBlast /cuBL /CLBl port/C error tried s

# What CLBlast does there, and how many times as fast the answer's plan is, both by the host's clock in turns.
against_clblast() {
	clblast_rate=- clblast_ratio=-
	case $kind in f16 | bf16) return ;; esac # it has no product of these with sums in float
	timeout 60 "$build/bench/bench-blas" --csv --no-openblas --seconds 1 "$1" 2>>"$work/log" | tail -n 1 >"$work/contest" || true
	clblast_rate=$(cut -d, -f11 "$work/contest" | grep -E '^[0-9]' || echo -)
	clblast_ratio=$(cut -d, -f12 "$work/contest" | grep -E '^[0-9]' || echo -)
}

row() {
	kind=${1%%:*} shape=${1#*:}
	m=${shape%%x*} k=${shape##*x}
	n=${shape#*x} n=${n%x*}
	set -- --m "$m" --n "$n" --k "$k"
	case $kind in
	tf32) set -- "$@" --accuracy tf32 ;;
	f64 | f16 | bf16) set -- "$@" --type "$kind" ;;
	esac
	row_began=$(now)
	portable=- portable_ratio=-
	rm -f "$work/portable.json" "$work/best.json"
	if [ -n "$nvidia" ] && [ "$kind" != tf32 ]; then
		seconds=$(budget_for "$parts") parts=$((parts - 1))
		if [ "$seconds" -gt 0 ]; then
			tune "$seconds" --variant blocked "$@"
			answer "$work/portable.json" "$@"
			portable=$(value gflops "$work/portable.json")
			against_clblast "$work/portable.json"
			portable_ratio=$clblast_ratio
		fi
	fi
	seconds=$(budget_for "$parts") parts=$((parts - 1))
	[ "$seconds" -eq 0 ] && { say "no time left for $kind $shape" && return; }
	tune "$seconds" "$@"
	answer "$work/best.json" "$@"
	if [ "$(text match "$work/best.json")" != exact ]; then
		say "$kind $shape: nothing was found in $seconds s"
		return
	fi
	gflops=$(value gflops "$work/best.json")
	against_clblast "$work/best.json"
	[ -n "$nvidia" ] || portable=$gflops portable_ratio=$clblast_ratio
	cublas=$(ask gemm "$kind" "$m" "$n" "$k") || cublas=- # it may have died
	tried=$(timeout 10 mmtune history --trials --limit 0 --device "$device" "$@" --json 2>/dev/null | grep -o '"trial":' | wc -l)
	took=$(($(now) - row_began))
	[ "$m" != "$n" ] || [ "$n" != "$k" ] || shape=$m
	set -- "$shape" "$kind" "$(text variant "$work/best.json")"
	# shellcheck disable=SC2059
	printf "$format" "$@" "$(tera "$gflops")" "$(tera "$portable")" "$(tera "$cublas")" "$(tera "$clblast_rate")" \
		"$(ratio "$gflops" "$cublas")" "$(ratio "$clblast_ratio" 1)" "$(ratio "$portable_ratio" 1)" \
		"$(printf '%.2g' "$(value relative_error "$work/best.json")" 2>/dev/null || echo -)" "$tried" "$took"
	[ -z "$csv" ] || echo "$*,$gflops,$portable,$cublas,$clblast_rate,$(ratio "$gflops" "$cublas"),$clblast_ratio,$portable_ratio,$(value relative_error "$work/best.json"),$tried,$took" |
		tr ' ' ',' >>"$csv"
}
tune 5 --order 64 --evaluations 1 # the peaks, which come before a first job, in no budget
for problem in $problems; do
	row "$problem"
done

# ---- beside the table ----

bandwidth=$(device_of "$device" | grep -oE '"gbps":[0-9.]+' | cut -d: -f2 | grep . || echo -)
copied=$(ask copy 1073741824) || copied=-
echo "copy: $bandwidth GB/s, PyTorch's device copy $copied GB/s, ratio $(ratio "$bandwidth" "$copied")"
[ -n "$extras" ] || exit 0

cpu=$(echo "$names" | grep -m 1 '^cpu' || true)
if [ -n "$cpu" ] && [ "$cpu" != "$device" ]; then
	timeout 60 mmtune tune --device "$cpu" --order 1000 --budget 15s >/dev/null 2>&1 || true
	timeout 30 mmtune query --device "$cpu" --order 1000 --json >"$work/cpu.json" 2>/dev/null || true
	echo "$cpu beside it, order 1000: $(value gflops "$work/cpu.json") GFLOP/s, $(text variant "$work/cpu.json"), $(text match "$work/cpu.json")"
fi

# The worker that measures: a child of the service, and not one of the builders, which are nicer (19).
measuring_worker() {
	for stat in /proc/[0-9]*/stat; do
		sed -E 's/^([0-9]+) \(.*\) /\1 /' "$stat" 2>/dev/null
	done | awk -v parent="$service" '$3 == parent && $18 < 19 { print $1; exit }'
}
crashes() { timeout 10 mmtune history --trials --limit 0 --device "$device" --json | grep -o '"outcome":"crashed"' | wc -l; }
before=$(crashes)
timeout 20 mmtune tune --device "$device" --order 6144 --budget 15s --no-wait >/dev/null 2>&1 || true
tries=0 # until it measures: a run at this order takes longer than a builder does
until timeout 10 mmtune jobs --json | sed 's/{"job":/\n&/g' | grep '"state":"running"' | grep -q '"evaluations":[1-9]'; do
	tries=$((tries + 1))
	[ "$tries" -lt 100 ] || break
	sleep 0.1
done
worker=$(measuring_worker)
if [ -n "$worker" ] && kill -9 "$worker"; then
	tries=0
	until [ "$(timeout 10 mmtune status --json | grep -oE '"jobs_pending":[0-9]+' | cut -d: -f2)" = 0 ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 60 ] || break
		sleep 1
	done
	timeout 30 mmtune query --device "$device" --order 6144 --json >"$work/killed.json" 2>/dev/null || true
	echo "a worker killed while the device was busy: $(($(crashes) - before)) candidate recorded as crashed, the job's answer is $(text match "$work/killed.json")"
else
	echo "a worker killed while the device was busy: none was found to kill"
fi

if [ -n "$memory_before" ]; then
	[ -z "$peer" ] || kill "$peer" 2>/dev/null || true
	peer=""
	sleep 30
	echo "GPU memory in use: $memory_before MiB before, $(gpu_memory) MiB 30 s after the last job"
else
	echo "GPU memory in use: no nvidia-smi to ask"
fi
say "took $(($(now) - began)) s of $((minutes * 60))"
