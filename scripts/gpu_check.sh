#!/usr/bin/env bash
# All there is to learn of the CUDA engine in one run on a machine with a GPU: 570 s at most, the most valuable phase
# first,
# and none stops the next. Results land in OUT (8 files); the table at the end is what they say.
# usage: gpu_check.sh [--bundle DIR] [--out DIR] [--seconds N] [--together] [PHASE...]
#   --bundle DIR   what scripts/gpu_bundle.sh made elsewhere (default: build-gpu-bundle/); if it is not there or does
# not
#                  run, the programs are built here first (preset gpu-worker with REGATTA_CUDA)
#   --out DIR      default: $OUT, or build-gpu-check/
#   --together     what measures nothing runs at the same time, then the others one by one: half the time
#   PHASE...       numbers of phases; all if none is named
# REGATTA_GPU_CHECK_PLUGIN=emulated runs it where there is no GPU, on the emulated plugin: what a real device alone can
# answer is told as `not here`.
set -uo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root" || exit 2
bundle="$root/build-gpu-bundle"
out="${OUT:-$root/build-gpu-check}"
seconds=570
together=no
only=""
while [[ $# -gt 0 ]]; do
  case "$1" in
    --bundle) bundle="$(realpath -m "$2")" && shift ;;
    --out) out="$2" && shift ;;
    --seconds) seconds="$2" && shift ;;
    --together) together=yes ;;
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
work="$(mktemp -d)" # N.output, N.result of phase N; caches; what is packed into kept.tgz
phases="$work/phases"
kept="$work/kept"
mkdir "$kept"
trap 'rm -rf "$work"' EXIT
: >"$log"
[[ ! -f $bundle/launcher.tgz ]] || tar -xzf "$bundle/launcher.tgz" -C "$bundle"

# Choices of algorithms are made anew, and are not left in the user's cache. Times are not taken with choices that were
# made while phases ran together. Frameworks that the user installed stay where they are.
engines="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/regatta/engines"
for cache in checks timing; do
  mkdir -p "$kept/$cache/regatta"
  [[ ! -d $engines ]] || ln -s "$engines" "$kept/$cache/regatta/engines"
done

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
# One that is `beside` others runs at the same time with --together; `checked` then waits for all of those. Not the
# rest: processes that share a device wait for one another, and what is free of its memory is asked of a quiet one.
phase() { one_phase timing no "$@"; }
checks() { one_phase checks no "$@"; }
beside() { one_phase checks "$together" "$@"; }
waited_for=()
one_phase() {
  local cache="$1" is_beside="$2" number="$3" most="$4" name="$5" left
  shift 5
  [[ $number == 1 || -z $only || $only == *" $number "* ]] || return 0
  left=$((end - SECONDS))
  [[ $most -le $left ]] || most=$left
  printf '%s\t%s\t%s\t%s\n' "$number" "$name" no-time 0 >"$work/$number.result"
  : >"$work/$number.output"
  if [[ $is_beside == yes ]]; then
    waited_for+=("$number")
    run_phase "$cache" "$number" "$most" "$name" "$@" &
  else
    run_phase "$cache" "$number" "$most" "$name" "$@"
    tell_phase "$number"
  fi
}
run_phase() {
  local cache="$1" number="$2" most="$3" name="$4" output="$work/$2.output" started code
  shift 4
  [[ $most -ge 3 ]] || return 0
  echo "==== $number $name, at most $most s" >"$output"
  started="$(date +%s.%N)"
  # Workers write what they say to the same file, behind what was said before.
  local -x XDG_CACHE_HOME="$kept/$cache" REGATTA_GPU_PHASE_SECONDS="$most" REGATTA_GPU_PHASE_LOG="$output"
  local -x TEST_TMPDIR="$work/$number.tmp/" # tests that run beside themselves write files of one name
  mkdir "$TEST_TMPDIR"
  timeout -k 5 "$most" bash -c '"$@"' _ "$@" >>"$output" 2>&1
  code=$?
  printf '%s\t%s\t%s\t%.1f\n' "$number" "$name" "$code" \
    "$(echo "$(date +%s.%N) $started" | awk '{print $1 - $2}')" >"$work/$number.result"
}
tell_phase() {
  local number="$1" output="$work/$1.output"
  head -c 1000000 "$output" >>"$log"
  head -n 1 "$output"
  tail -n +2 "$output" | tail -n 20 | cut -c 1-300
  tail -n 40 "$output" | cut -c 1-1000 >"$phases.$number"
  cat "$work/$number.result" >>"$phases"
  # Frameworks keep caches beside ours.
  tar -czf "$out/kept.tgz" -C "$work" --no-wildcards-match-slash --exclude engines --exclude 'kept/checks/[!r]*' \
    --exclude 'kept/timing/[!r]*' kept
}
checked() {
  [[ ${#waited_for[@]} -gt 0 ]] || return 0
  wait
  local number
  for number in "${waited_for[@]}"; do tell_phase "$number"; done
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
    carried gpu_contract "$kept/answers.json"
  fi
}
export -f here carried contract
unit_tests='*'
# A tool makes a kernel ten times as slow and more. The test that is left out takes, for a moment, the memory that tests
# beside it need.
watched_tests='Session.*-Session.MemoryThatCannotExistIsBadAlloc'
if [[ ${REGATTA_GPU_CHECK_PLUGIN:-} == emulated ]]; then # where each thread of a kernel is a fibre
  unit_tests="${GTEST_FILTER:-Session.*:HostReads.*}"
fi
export python root bundle kept

if ! "$bundle/bin/regatta-worker" --version >/dev/null 2>&1; then
  echo "gpu_check.sh: no bundle in $bundle, or it does not run here: building" | tee -a "$log"
  phase 1 240 build bash -c "cmake --preset gpu-worker -DREGATTA_CUDA=ON &&
    scripts/gpu_bundle.sh --build build-gpu-worker --out '$bundle'"
fi
checks 10 30 machine here machine facts
checks 11 30 devices here machine devices
checks 12 30 properties carried gpu_facts "$kept/device.json"
checks 13 50 contract contract
checks 20 30 smoke here same_work --smoke
checks 21 80 'unit tests' carried test_engine_cuda --gtest_filter="$unit_tests" --gtest_brief=1 --gtest_output="json:$kept/unit.json"
beside 22 75 'same work' here same_work
beside 40 40 'NCCL, one rank' here nccl 1
beside 41 40 'NCCL, two ranks on one GPU' here nccl 2
checked
checks 23 75 sanitizers here sanitizers "$watched_tests"
phase 30 150 timing here timing
phase 31 15 limits here limits
phase 42 30 faults here faults
phase 43 60 sweep here sweep native
phase 44 130 "frameworks' sweeps" here sweep torch jax
phase 32 45 counters here counters
"$python" -B "$root/tests/gpu/summary.py" "$phases" "$out"
