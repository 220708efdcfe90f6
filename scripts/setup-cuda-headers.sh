#!/usr/bin/env bash
# Puts NVIDIA's headers, which the tests of the CUDA engine are compiled against, into the user's cache folder: from
# NVIDIA's packages on PyPI, pinned and hashed (scripts/requirements-cuda-headers.txt; 440 MB are downloaded, 25 MB
# stay). Touches nothing where a toolkit in /usr/local/cuda (or CUDA_HOME) has them all, or where they are there.
# usage: setup-cuda-headers.sh [--force] [--wheelhouse DIR]
#   --force           does not look for a toolkit
#   --wheelhouse DIR  takes the wheels in DIR, without a network; fill DIR elsewhere with
#                     pip download --no-deps --require-hashes -r scripts/requirements-cuda-headers.txt -d DIR
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
requirements="$here/requirements-cuda-headers.txt"
folder="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/regatta/cuda-headers"
work=""

die() {
  echo "setup-cuda-headers.sh: $1" >&2
  exit "${2:-1}"
}

# has_headers FOLDER: what the tests include; tests/support/cuda/CMakeLists.txt looks for the same.
has_headers() {
  local header
  for header in cuda_runtime.h crt/host_defines.h cuda_bf16.h nv/target cublasLt.h cudnn_graph.h; do
    [[ -f $1/$header ]] || return 1
  done
}

# download WHEELS [PIP-ARGUMENT...]: headers are the same on every kind of machine.
download() {
  local wheels="$1"
  shift
  python3 -m venv "$work/venv" >&2 || die "'python3 -m venv' failed; on Debian: apt-get install python3-venv"
  "$work/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-input --no-deps \
    --require-hashes --only-binary :all: --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 \
    --dest "$wheels" "$@" -r "$requirements" >&2 ||
    die "pip could not get the packages (its message stands above); on a machine with a network fill a folder and give --wheelhouse"
}

# unpack WHEELS TO: everything below a folder include/, or include/cccl/, of each wheel.
unpack() {
  python3 -B - "$1" "$2" <<'PYTHON'
import sys
import zipfile
from pathlib import Path

for wheel in Path(sys.argv[1]).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            below = name.partition("/include/")[2].removeprefix("cccl/")
            if not below or name.endswith("/"):
                continue
            header = Path(sys.argv[2], below)
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_bytes(archive.read(name))
PYTHON
}

main() {
  local force=no source=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --force) force=yes ;;
      --wheelhouse)
        [[ $# -gt 1 && -d ${2:-} ]] || die "--wheelhouse needs a folder" 2
        source=(--no-index --find-links "$2")
        shift
        ;;
      *) die "no option $1; usage: setup-cuda-headers.sh [--force] [--wheelhouse DIR]" 2 ;;
    esac
    shift
  done
  if [[ $force == no ]] && has_headers "${CUDA_HOME:-/usr/local/cuda}/include"; then return; fi
  if has_headers "$folder/include" && cmp -s "$requirements" "$folder/requirements.txt"; then return; fi

  mkdir -p "$(dirname "$folder")"
  work="$(mktemp -d "$folder.XXXXXX")"
  trap 'rm -rf "$work"' EXIT
  echo "Getting NVIDIA's headers (440 MB) for the tests of the CUDA engine" >&2
  download "$work/wheels" "${source[@]}"
  unpack "$work/wheels" "$work/new/include"
  has_headers "$work/new/include" || die "the packages do not hold every header; report this with $requirements"
  cp "$requirements" "$work/new/requirements.txt"
  [[ ! -e $folder ]] || mv "$folder" "$work/old"
  mv "$work/new" "$folder"
}

main "$@"
