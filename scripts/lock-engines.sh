#!/usr/bin/env bash
# Writes the pinned and hashed requirements of the engines' environments (workers/python/locks/NAME.txt) from NAME.in,
# for every Python from 3.11 on; what stands in NAME.no-deps.in is added without what it would bring. Needs uv.
# usage: lock-engines.sh [NAME...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../workers/python/locks"

compile() { uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate "$@"; }

names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
  for file in *.in; do [[ $file == *.no-deps.in ]] || names+=("${file%.in}"); done
fi
for name in "${names[@]}"; do
  compile "$name.in" >"$name.partial"
  [[ ! -f $name.no-deps.in ]] || compile --no-deps "$name.no-deps.in" >>"$name.partial"
  mv "$name.partial" "$name.txt"
  echo "$name: $(grep -c '==' "$name.txt") packages"
done
