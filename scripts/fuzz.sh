#!/usr/bin/env bash
# Builds the fuzzers of tests/fuzz and feeds each reader from its corpus for so many seconds (600). Inputs that a reader
# cannot stand are left in build-fuzz/found.
# usage: fuzz.sh [--seconds N] [READER...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=600
if [[ ${1:-} == --seconds ]]; then
  seconds="$2"
  shift 2
fi
readers=("$@")
if [[ ${#readers[@]} -eq 0 ]]; then
  for corpus in tests/fuzz/corpus/*/; do readers+=("$(basename "$corpus")"); done
fi

cmake --preset fuzz
cmake --build --preset fuzz --parallel "$(nproc)"
mkdir -p build-fuzz/found
code=0
for reader in "${readers[@]}"; do
  grown="build-fuzz/corpus/$reader"
  mkdir -p "$grown"
  echo "fuzz.sh: the reader of a $reader, $seconds s"
  "build-fuzz/bin/fuzz_${reader}_reader" "$grown" "tests/fuzz/corpus/$reader" -max_total_time="$seconds" \
    -artifact_prefix=build-fuzz/found/ -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 || code=1
done
exit "$code"
