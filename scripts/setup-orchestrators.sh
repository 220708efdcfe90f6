#!/usr/bin/env bash
# Puts the orchestrators that bench/orchestrators.py sets beside Regatta into a virtual environment in the user's cache
# folder, pinned and hashed (scripts/requirements-orchestrators.txt; 735 MB). Prints its Python; touches nothing if they
# are there. GNU parallel is Debian's: install-packages.sh orchestrators
# usage: setup-orchestrators.sh [--lock]
#   --lock   writes the list of exact versions anew, for every Python from 3.11 on (needs uv); installs nothing
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
requirements="$here/requirements-orchestrators.txt"
folder="${XDG_CACHE_HOME:-$HOME/.cache}/regatta/orchestrators"

die() {
  echo "setup-orchestrators.sh: $1" >&2
  exit "${2:-1}"
}

lock() {
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    "$here/requirements-orchestrators.in" >"$requirements.partial"
  mv "$requirements.partial" "$requirements"
}

install() {
  rm -rf "$folder"
  python3 -m venv "$folder" >&2 || die "'python3 -m venv' failed; on Debian: apt-get install python3-venv"
  # The list is complete, so nothing may be added to it.
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-input --require-hashes \
    --no-deps --only-binary :all: -r "$requirements" >&2 ||
    die "pip could not install the packages (its message stands above)"
  cp "$requirements" "$folder/requirements.txt"
}

case "${1:-}" in
  --lock) lock ;;
  "")
    cmp -s "$requirements" "$folder/requirements.txt" || install
    echo "$folder/bin/python"
    ;;
  *) die "no option $1; usage: setup-orchestrators.sh [--lock]" 2 ;;
esac
