#!/usr/bin/env bash
# In the place of each program of a bundle (scripts/gpu_bundle.sh): the libraries that came with it are for it alone.
here="$(dirname "$(readlink -f "$0")")"
export LD_LIBRARY_PATH="$here/../lib:${REGATTA_CUDA_LIBRARIES:-}:${LD_LIBRARY_PATH:-}"
exec "$here/../libexec/$(basename "$0")" "$@"
