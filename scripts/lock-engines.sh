#!/usr/bin/env bash
# Writes the pinned and hashed requirements of the engines' environments (workers/python/locks/NAME.txt) from NAME.in,
# for every Python from 3.11 on, or for the one that a first line "# python 3.7" of NAME.in names. Packages in
# NAME.no-deps.in are added without their dependencies. Needs uv.
# usage: lock-engines.sh [NAME...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../workers/python/locks"

# compile FILE OPTION...: the list that FILE asks for. Packages of a line "# source gast" have no wheel.
compile() {
  local version source
  version="$(sed -n 's/^# python //p' "$1")"
  source="$(sed -n 's/^# source //p' "$1")"
  if [[ -n $version ]]; then
    set -- "$@" --python-version "$version" --python-platform x86_64-manylinux_2_31 --only-binary :all:
    [[ -z $source ]] || set -- "$@" --no-binary "$source"
  else
    set -- "$@" --python-version 3.11 --universal
  fi
  uv pip compile --quiet --generate-hashes --no-header --no-annotate "$@"
}

names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
  for file in *.in; do [[ $file == *.no-deps.in ]] || names+=("${file%.in}"); done
fi
for name in "${names[@]}"; do
  compile "$name.in" >"$name.partial"
  [[ ! -f $name.no-deps.in ]] || compile "$name.no-deps.in" --no-deps >>"$name.partial"
  mv "$name.partial" "$name.txt"
  echo "$name: $(grep -c '==' "$name.txt") packages"
done
