#!/usr/bin/env bash
# Puts ruff, which Debian 12 lacks, into a virtual environment in the user's cache folder, pinned and hashed
# (scripts/requirements-lint.txt). Prints its path; touches nothing if it is there.
# usage: setup-lint.sh
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="${XDG_CACHE_HOME:-$HOME/.cache}/regatta/tools"
version="$(sed -n 's/^ruff==\([^ ]*\).*/\1/p' "$here/requirements-lint.txt")"

if [[ "$("$folder/bin/ruff" --version 2>/dev/null)" != "ruff $version" ]]; then
  python3 -m venv "$folder" >&2 || {
    echo "setup-lint.sh: 'python3 -m venv' failed; on Debian: apt-get install python3-venv" >&2
    exit 1
  }
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
    -r "$here/requirements-lint.txt" >&2
fi
echo "$folder/bin/ruff"
