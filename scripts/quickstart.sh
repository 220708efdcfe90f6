#!/usr/bin/env bash
# Installs what is missing, builds Regatta and runs its first sweep. Works from any folder, any number of times.
# usage: quickstart.sh [--no-install]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") bash scripts/install-packages.sh build ;;
  --no-install) ;;
  *)
    echo "usage: quickstart.sh [--no-install]" >&2
    exit 2
    ;;
esac

# Quiet unless it fails: what a person came for is the report.
quietly() {
  local log="$1"
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    echo "quickstart.sh: '$*' failed (its output stands above and in $log)" >&2
    exit 1
  }
}

mkdir -p build
[[ -w build ]] || {
  echo "quickstart.sh: cannot write in $PWD/build (another user made it, or sudo did); remove it, or run as that user" >&2
  exit 1
}
quietly build/configure.log cmake --preset default -DREGATTA_BUILD_TESTS=OFF -DREGATTA_BUILD_BENCH=OFF
echo "Building (a few minutes the first time)..." >&2
if ! cmake --build build --parallel "$(nproc)" 2>&1 | tee build/build.log | bash scripts/build_progress.sh; then
  cat build/build.log >&2
  echo "quickstart.sh: the build failed (its output stands above and in build/build.log)" >&2
  exit 1
fi

# Prints the report, and where the files are.
exec build/bin/regatta run sweeps/quickstart.json
