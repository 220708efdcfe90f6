#!/usr/bin/env bash
# In the place of each program of a bundle (scripts/gpu_bundle.sh): the libraries that came with it are for it alone.
# The
# launcher also has the mpirun that came with it, and that machine's own Python without these libraries.
here="$(dirname "$(readlink -f "$0")")"
name="$(basename "$0")"
libraries="$here/../lib"
if [[ $name == regatta ]]; then
  launcher="$(readlink -f "$here/../launcher")"
  REGATTA_PYTHON_OUTSIDE="$(command -v "${REGATTA_PYTHON:-python3}")"
  export REGATTA_PYTHON_OUTSIDE REGATTA_LIBRARIES_OUTSIDE="${LD_LIBRARY_PATH:-}"
  export PATH="$launcher/bin:$PATH"
  export HWLOC_PLUGINS_PATH="$launcher/lib/hwloc" # there are none: those of that machine are of another hwloc
  libraries+=":$launcher/lib"
fi
export LD_LIBRARY_PATH="$libraries:${REGATTA_CUDA_LIBRARIES:-}:${LD_LIBRARY_PATH:-}"
exec "$here/../libexec/$name" "$@"
