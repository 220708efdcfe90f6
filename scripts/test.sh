#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test that needs no GPU. The last line is "N passed, N
# failed"; a test that did not run counts as failed. The live tests of the measuring itself need a machine on which
# nothing else runs, and some 45 minutes: they are named, not run, unless --live is given. So are the planted bugs that
# tests have to find (--mutants; some 25 CPU minutes), and the tests of frameworks that are not installed; --engines
# installs torch, tensorflow, jax and optuna first (8 GB). One older version of Python and of each framework is tested,
# where it is installed; --all tests every one. Tests that kill, damage and draw do so for a few rounds; --all for many,
# with a seed of that day. --all plants the bugs, too: run it before a release.
# usage: test.sh [--no-install] [--engines] [--sanitizers] [--mutants] [--live] [--all] [-- CTEST-ARGUMENTS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=yes
engines=no
sanitizers=no
mutants=no
live=no
all=no
while [[ $# -gt 0 ]]; do
  case "$1" in
    --no-install) install=no ;;
    --engines) engines=yes ;;
    --sanitizers) sanitizers=yes ;;
    --mutants) mutants=yes ;;
    --live) live=yes ;;
    --all)
      all=yes
      mutants=yes
      ;;
    --)
      shift
      break
      ;;
    *)
      echo "usage: test.sh [--no-install] [--engines] [--sanitizers] [--mutants] [--live] [--all] [-- CTEST-ARGUMENTS]" >&2
      exit 2
      ;;
  esac
  shift
done

passed=0
failed=0
stage="installing packages"
failures="$(mktemp)" # shown once more at the end, which is what most logs show

# Runs at every exit, so that a build that breaks is counted too.
finish() {
  local code=$?
  if [[ -n $stage ]]; then
    echo "test.sh: $stage failed" >&2
    failed=$((failed + 1))
  fi
  cat "$failures"
  rm -f "$failures"
  echo "$passed passed, $failed failed"
  [[ $failed -eq 0 && $passed -gt 0 ]] || exit "$((code == 0 ? 1 : code))"
}
trap finish EXIT

# build_and_test PRESET [CTEST-ARGUMENTS]: adds to the counts.
build_and_test() {
  local preset="$1" binary counts
  shift
  binary="build"
  [[ $preset == default ]] || binary="build-$preset"
  stage="configuring preset $preset"
  cmake --preset "$preset"
  stage="building preset $preset"
  cmake --build --preset "$preset" --parallel "$(nproc)"
  stage="testing preset $preset"
  rm -f "$binary/ctest.xml"
  ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$PWD/$binary/ctest.xml" "$@" || true
  counts="$(python3 scripts/count_tests.py "$binary/ctest.xml")"
  python3 scripts/count_tests.py --failed "$binary/ctest.xml" >>"$failures"
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
}

if [[ $install == yes ]]; then
  bash scripts/install-packages.sh build test
  bash scripts/setup-lint.sh >/dev/null
  [[ $sanitizers == no ]] || bash scripts/install-packages.sh sanitizers
fi
if [[ $engines == yes ]]; then
  stage="installing engines"
  bash scripts/setup-engines.sh torch jax tensorflow optuna
fi
stage="looking for engines"
read -ra missing < <(python3 -B -m tools.interpreters)
left_out=(cluster trainers)
for name in "${missing[@]}"; do left_out+=("engine-$name"); done
[[ $live == yes ]] || left_out+=(live)
[[ $mutants == yes ]] || left_out+=(mutants)
[[ $all == yes ]] || left_out+=(old-versions long)
if [[ $all == yes ]]; then
  REGATTA_TEST_SEED="$(date +%s)"
  export REGATTA_TEST_SEED
  echo "Tests that draw have the seed $REGATTA_TEST_SEED."
fi
without="^($(IFS='|'; echo "${left_out[*]}"))\$"
build_and_test default --label-exclude "$without" "$@"
for name in "${missing[@]}"; do
  tests="$(ctest --preset default -N --label-regex "^engine-$name\$" | sed -n 's/.*: \([a-z]*\.[a-z0-9_.-]*\)$/ \1/p' | tr -d '\n')"
  echo "Not run:$tests ($name is not installed; bash scripts/setup-engines.sh $name)"
done
echo "Not run:$(ctest --preset default -N --label-regex '^cluster$' | sed -n 's/.*: \([a-z]*\.[a-z_]*\)$/ \1/p' | tr -d '\n') (need Slurm or root; apt-get install slurm-wlm, then ctest --preset default -L cluster)"
echo "Not run: process.trainer_scripts_test (REGATTA_TRAINERS=PYTHON ctest --preset default -L trainers, with a Python that has lightning, transformers and accelerate)"
if [[ $mutants == no ]]; then
  echo "Not run (bash scripts/test.sh --mutants):$(ctest --preset default -N --label-regex '^mutants$' | sed -n 's/.*: \([a-z_]*\.mutants\)$/ \1/p' | tr -d '\n')"
fi
if [[ $all == no ]]; then
  echo "Not run (bash scripts/test.sh --all):$(ctest --preset default -N --label-regex '^(old-versions|long)$' | sed -n 's/.*: \([a-z_]*\.[a-z0-9_.-]*\)$/ \1/p' | tr -d '\n')"
fi
if [[ $live == no ]]; then
  echo "Not run (bash scripts/test.sh --live):$(ctest --preset default -N --label-regex '^live$' | sed -n 's/.*: \(measuring\.[a-z_]*\)$/ \1/p' | tr -d '\n')"
fi
if [[ $sanitizers == yes ]]; then
  build_and_test asan --label-exclude '^(unsanitized|cluster|mutants|architecture|docs|lint|python|measuring|engine-.*)$' "$@"
  for reader in tests/fuzz/corpus/*/; do
    stage="fuzzing the reader of $reader"
    bash scripts/fuzz.sh --seconds 30 "$(basename "$reader")"
    passed=$((passed + 1))
  done
fi
stage=""
