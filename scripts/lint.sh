#!/usr/bin/env bash
# Checks the format of C++ files and all shell scripts; with --tidy also runs clang-tidy over every C++ source
# (minutes; needs a configured build/). Python is checked with ruff and mypy, which scripts/setup-lint.sh installs, by
# the options of pyproject.toml.
# usage: lint.sh [--tidy] [--fix]     --fix formats in place
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tidy=no
fix=no
format=(--dry-run -Werror)
for argument in "$@"; do
  case "$argument" in
    --tidy) tidy=yes ;;
    --fix)
      fix=yes
      format=(-i)
      ;;
    *)
      echo "usage: lint.sh [--tidy] [--fix]" >&2
      exit 2
      ;;
  esac
done

# Files that git tracks, or would track, and that are there.
files() {
  git -c safe.directory='*' ls-files -co --exclude-standard --deduplicate -- "$@" | while read -r file; do
    [[ ! -f $file ]] || echo "$file"
  done
}

mapfile -t cpp < <(files '*.cpp' '*.hpp' '*.cu' '*.cuh')
mapfile -t shell < <(files '*.sh' '*.sbatch' .ci/run)
mapfile -t python < <(files '*.py')
failed=0
[[ ${#cpp[@]} -gt 0 && ${#shell[@]} -gt 0 ]] || { echo "lint.sh: found no files to check" >&2; exit 1; }

echo "clang-format: ${#cpp[@]} files"
clang-format "${format[@]}" "${cpp[@]}" || failed=1
echo "shellcheck: ${#shell[@]} files"
shellcheck "${shell[@]}" || failed=1
tools="${XDG_CACHE_HOME:-$HOME/.cache}/regatta/tools/bin"
ruff="$tools/ruff"
if [[ -x $ruff && -x $tools/mypy ]]; then
  echo "ruff: ${#python[@]} files"
  [[ $fix == no ]] || "$ruff" format --quiet --no-cache "${python[@]}"
  "$ruff" format --check --no-cache "${python[@]}" || failed=1
  "$ruff" check --no-cache "${python[@]}" || failed=1
  echo "mypy: the package regatta"
  "$tools/mypy" --config-file pyproject.toml || failed=1
else
  echo "lint.sh: ruff or mypy is not installed, so ${#python[@]} Python files were not checked; run scripts/setup-lint.sh" >&2
  failed=1
fi

if [[ $tidy == yes ]]; then
  [[ -f build/compile_commands.json ]] || { echo "lint.sh: build/ is not configured; run cmake --preset default" >&2; exit 1; }
  mapfile -t sources < <(files 'src/*.cpp' 'launcher/*.cpp' 'workers/*.cpp')
  echo "clang-tidy: ${#sources[@]} sources and the headers they include"
  printf '%s\0' "${sources[@]}" | xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p build || failed=1
fi
exit "$failed"
