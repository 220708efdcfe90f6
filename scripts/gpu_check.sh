#!/usr/bin/env bash
# All there is to learn of the CUDA engine in one run on a machine with a GPU: 570 s at most, the most valuable phase first,
# and none stops the next. Results land in OUT (8 files); the table at the end is what they say.
# usage: gpu_check.sh [--bundle DIR] [--out DIR] [--seconds N] [PHASE...]
#   --bundle DIR   what scripts/gpu_bundle.sh made elsewhere (default: build-gpu-bundle/); if it is not there or does not
#                  run, the programs are built here first (preset gpu-worker with REGATTA_CUDA)
#   --out DIR      default: $OUT, or build-gpu-check/
#   PHASE...       numbers of phases; all if none is named
# REGATTA_GPU_CHECK_PLUGIN=emulated runs it where there is no GPU, on the emulated plugin: what a real device alone can
# answer is told as `not here`.
set -uo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root" || exit 2
bundle="$root/build-gpu-bundle"
out="${OUT:-$root/build-gpu-check}"
seconds=570
only=""
while [[ $# -gt 0 ]]; do
  case "$1" in
    --bundle) bundle="$(realpath -m "$2")" && shift ;;
    --out) out="$2" && shift ;;
    --seconds) seconds="$2" && shift ;;
    [0-9]*) only+=" $1 " ;;
    *)
      echo "gpu_check.sh: unknown option '$1'; see the first lines of this file" >&2
      exit 2
      ;;
  esac
  shift
done
end=$((SECONDS + seconds))
python="${REGATTA_PYTHON:-}"
if [[ -z $python ]]; then
  for python in python3 /usr/bin/python3; do "$python" -c 'import numpy' 2>/dev/null && break; done
fi
if ! "$python" -c 'import numpy' 2>/dev/null; then
  echo "gpu_check.sh: $python has no numpy (most phases read batches with it); set REGATTA_PYTHON to a Python that has" \
    "it, such as the one with PyTorch" >&2
  exit 2
fi
mkdir -p "$out"
out="$(realpath "$out")"
log="$out/log.txt"
phases="$(mktemp)"
trap 'rm -f "$phases" "$phases".*' EXIT
: >"$log"

export OUT="$out" REGATTA_GPU_BUNDLE="$bundle" PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
export PYTHONPATH="$root:$bundle/share/regatta/python:$root/workers/python"
export REGATTA_SOURCE_DIR="$root" REGATTA_BINARY_DIR="$bundle"
export REGATTA_TEST_CUDA_PLUGIN="$bundle/libexec/libregatta_cuda.so"
# NVIDIA's packages of Python bring the libraries that the toolkit lacks: cuBLAS, cuDNN, NCCL.
REGATTA_CUDA_LIBRARIES="$("$python" -c '
import glob, sysconfig
folders = glob.glob(sysconfig.get_paths()["purelib"] + "/nvidia/**/lib", recursive=True)
print(":".join(["/usr/local/cuda/lib64", *sorted(folders)]))')"
export REGATTA_CUDA_LIBRARIES

# phase NUMBER SECONDS NAME COMMAND...: its exit code, time and last words go to the summary, all of them to the log.
phase() {
  local number="$1" most="$2" name="$3" left started code
  shift 3
  [[ $number == 1 || -z $only || $only == *" $number "* ]] || return 0
  left=$((end - SECONDS))
  [[ $most -le $left ]] || most=$left
  if [[ $most -lt 3 ]]; then
    printf '%s\t%s\t%s\t%s\n' "$number" "$name" "no-time" 0 >>"$phases"
    return 0
  fi
  echo "==== $number $name, at most $most s" | tee -a "$log"
  started="$(date +%s.%N)"
  REGATTA_GPU_PHASE_SECONDS="$most" timeout -k 5 "$most" bash -c '"$@"' _ "$@" >"$phases.output" 2>&1
  code=$?
  head -c 1000000 "$phases.output" >>"$log"
  tail -n 12 "$phases.output" | cut -c 1-300
  tail -n 40 "$phases.output" | cut -c 1-1000 >"$phases.$number"
  printf '%s\t%s\t%s\t%.1f\n' "$number" "$name" "$code" "$(echo "$(date +%s.%N) $started" | awk '{print $1 - $2}')" >>"$phases"
}
here() { "$python" -B "$root/tests/gpu/$1.py" "${@:2}"; }
carried() { # PROGRAM ARGUMENT...: or exit code 77 if the bundle lacks it
  if [[ ! -x $bundle/bin/$1 ]]; then
    echo "not here: $1 in $bundle"
    return 77
  fi
  "$bundle/bin/$1" "${@:2}"
}
contract() { # asked of the libraries, or, where they are fakes, of those
  if [[ ${REGATTA_GPU_CHECK_PLUGIN:-} == emulated ]]; then
    carried test_gpu_contract --gtest_filter='*' --gtest_brief=1
  else
    carried gpu_contract "$out/answers.json"
  fi
}
export -f here carried contract
unit_tests='*'
watched_tests='*-*DeathTest.*'
if [[ ${REGATTA_GPU_CHECK_PLUGIN:-} == emulated ]]; then # where each thread of a kernel is a fibre
  unit_tests="${GTEST_FILTER:-Session.*:HostReads.*}"
fi
export python root bundle out

if ! "$bundle/bin/regatta-worker" --version >/dev/null 2>&1; then
  echo "gpu_check.sh: no bundle in $bundle, or it does not run here: building" | tee -a "$log"
  phase 1 240 build bash -c "cmake --preset gpu-worker -DREGATTA_CUDA=ON &&
    scripts/gpu_bundle.sh --build build-gpu-worker --out '$bundle'"
fi
phase 10 15 machine here machine facts
phase 11 15 devices here machine devices
phase 12 20 properties carried gpu_facts "$out/device.json"
phase 13 50 contract contract
phase 20 20 smoke here same_work --smoke
phase 21 80 'unit tests' carried test_engine_cuda --gtest_filter="$unit_tests" --gtest_brief=1 --gtest_output="json:$out/unit.json"
phase 22 75 'same work' here same_work
phase 23 60 sanitizers here sanitizers "$watched_tests"
phase 30 150 timing here timing
phase 31 20 limits here limits
phase 32 45 counters here counters
phase 40 20 'NCCL, one rank' here nccl 1
phase 41 25 'NCCL, two ranks on one GPU' here nccl 2
phase 42 40 faults here faults
"$python" -B "$root/tests/gpu/summary.py" "$phases" "$out"
