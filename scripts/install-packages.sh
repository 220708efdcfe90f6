#!/usr/bin/env bash
# Installs the Debian packages of the named lists (scripts/packages-NAME.txt) that are missing; asks for
# nothing, and touches nothing when all are there. With `test` NVIDIA's headers, too (setup-cuda-headers.sh).
# usage: install-packages.sh build|test|sanitizers|lint|orchestrators...
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

wanted() {
  local list
  for list in "$@"; do
    if [[ ! -f "$here/packages-$list.txt" ]]; then
      echo "install-packages.sh: there is no list '$list' (no scripts/packages-$list.txt); use build, test, sanitizers, lint or orchestrators" >&2
      return 2
    fi
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$here/packages-$list.txt"
  done
}

is_installed() {
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Says what is missing and how to get it, where this script cannot.
give_up() {
  local why="$1"
  shift
  {
    echo "install-packages.sh: $why, so these packages were not installed:"
    printf '  %s\n' "$@"
    echo "Install them (names are Debian's), then run the same command again."
  } >&2
  exit 1
}

main() {
  if [[ $# -eq 0 ]]; then
    echo "usage: install-packages.sh build|test|sanitizers|lint|orchestrators..." >&2
    exit 2
  fi
  local all package missing=() as_root=()
  all="$(wanted "$@")"
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # shellcheck disable=SC2086  # a list of words
    give_up "this is no Debian-like system (no dpkg-query or no apt-get)" $all
  fi
  for package in $all; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return

  if [[ "$(id -u)" -ne 0 ]]; then
    command -v sudo >/dev/null || give_up "you are not root and there is no sudo" "${missing[@]}"
    as_root=(sudo)
  fi
  echo "Installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update >&2 || echo "install-packages.sh: apt-get update failed; trying with the package lists that are here" >&2
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 ||
    give_up "apt-get install failed (its message stands above)" "${missing[@]}"
}

main "$@"
for list in "$@"; do
  [[ $list != test ]] || bash "$here/setup-cuda-headers.sh"
done
