#!/usr/bin/env bash
# Puts ruff and mypy, which Debian 12 lacks or has in older versions, into a virtual environment in the user's cache
# folder, pinned and hashed (scripts/requirements-lint.txt). Prints the folder of both; touches nothing if they are
# there.
# usage: setup-lint.sh
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="${XDG_CACHE_HOME:-$HOME/.cache}/regatta/tools"
pinned() { sed -n "s/^$1==\([^ ]*\).*/\1/p" "$here/requirements-lint.txt"; }

# Whether both are there in the version that is pinned.
is_there() {
  [[ "$("$folder/bin/ruff" --version 2>/dev/null)" == "ruff $(pinned ruff)" ]] &&
    [[ "$("$folder/bin/mypy" --version 2>/dev/null)" == "mypy $(pinned mypy) "* ]]
}

if ! is_there; then
  python3 -m venv "$folder" >&2 || {
    echo "setup-lint.sh: 'python3 -m venv' failed; on Debian: apt-get install python3-venv" >&2
    exit 1
  }
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --only-binary :all: \
    -r "$here/requirements-lint.txt" >&2
fi
echo "$folder/bin"
