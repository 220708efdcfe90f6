#!/usr/bin/env bash
# Makes a folder that holds all that scripts/gpu_check.sh runs on a machine with a GPU: programs built here, the
# libraries
# and the Open MPI that machine may lack, the worker's Python package. It needs the checkout beside it there, and no
# compiler.
# usage: gpu_bundle.sh [--emulated] [--build DIR] [--out DIR] [--no-build]
#   --emulated    the plugin is the emulated one of the tests, which needs no GPU (default build: build/, else
# build-cuda/)
#   --build DIR   a configured build folder
#   --out DIR     what is written (default: build-gpu-bundle/)
#   --no-build    takes what the build folder holds
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
most_bytes=60000000 # the most that may be carried to a lent machine
emulated=no
build=""
out="$root/build-gpu-bundle"
builds=yes
while [[ $# -gt 0 ]]; do
  case "$1" in
    --emulated) emulated=yes ;;
    --build) build="$2" && shift ;;
    --out) out="$2" && shift ;;
    --no-build) builds=no ;;
    *)
      echo "gpu_bundle.sh: unknown option '$1'; see the first lines of this file" >&2
      exit 2
      ;;
  esac
  shift
done
if [[ $emulated == yes ]]; then
  build="${build:-build}"
  plugin=tests/support/cuda/libregatta_cuda_emulated.so
  targets=(regatta-worker regatta_plugin_cuda_emulated test_engine_cuda regatta_worker_python)
  others=(test_gpu_contract regatta_fake_nvml regatta)
else
  build="${build:-build-cuda}"
  plugin=bin/libregatta_cuda.so
  targets=(regatta-worker regatta_plugin_cuda test_engine_cuda gpu_faults regatta_worker_python)
  others=(gpu_facts gpu_contract regatta)
fi
# Left out where they are not built: their phase says so.
programs=(regatta-worker test_engine_cuda gpu_faults "${others[@]}")

if [[ $builds == yes ]]; then
  preset="$([[ $emulated == yes ]] && echo default || echo cuda)"
  [[ -f $build/build.ninja ]] || cmake --preset "$preset"
  cmake --build "$build" --target "${targets[@]}"
  for target in "${others[@]}"; do
    cmake --build "$build" --target "$target" || echo "gpu_bundle.sh: left out: $target" >&2
  done
fi

rm -rf "$out"
mkdir -p "$out/bin" "$out/lib" "$out/libexec" "$out/share/regatta" "$out/tests/engine"
for program in "${programs[@]}"; do
  [[ -x $build/bin/$program ]] || continue
  cp "$build/bin/$program" "$out/libexec/"
  cp scripts/gpu_launch.sh "$out/bin/$program"
done
cp "$build/$plugin" "$out/libexec/libregatta_cuda.so"
cp -rL "$build/share/regatta/python" "$out/share/regatta/"
reference="$build/tests/engine/libregatta_reference.so" # a plugin that some of the engine's tests open
[[ ! -f $reference ]] || cp "$reference" "$out/tests/engine/"
nvml="$build/tests/support/cuda/nvml/libnvidia-ml.so.1" # says something where REGATTA_FAKE_NVML is set
[[ $emulated == no || ! -f $nvml ]] || cp "$nvml" "$out/lib/"
find "$out/libexec" "$out/tests" -type f -exec strip --strip-debug {} +

# libraries_to FOLDER: what the programs load whose names it reads. The C and C++ libraries are that machine's own,
# which
# is newer; CUDA's come from its toolkit or its packages.
libraries_to() {
  xargs -n 1 ldd | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+)[.-]' |
    grep -Ev '/(libcu(blas|da|dnn|fft|rand|solver|sparse)|libnv)[a-zA-Z]*[.-]' | xargs -r cp -Lt "$1"
}
find "$out/libexec" -type f ! -name regatta | libraries_to "$out/lib"
if [[ -x $out/libexec/regatta ]]; then # its libraries are not for workers (scripts/gpu_launch.sh)
  bash scripts/gpu_launcher/copy_mpi.sh "$out/launcher"
  find "$out/libexec/regatta" "$out/launcher/libexec" "$out/launcher/lib" -type f |
    libraries_to "$out/launcher/lib"
  for file in "$out"/lib/*; do rm -f "$out/launcher/lib/${file##*/}"; done
  # Most of what it loads comes from HDF5, which could read from networks. Packed it is less than half.
  tar -czf "$out/launcher.tgz" -C "$out" --remove-files bin/regatta libexec/regatta launcher
fi

bytes="$(du -sb "$out" | cut -f1)"
echo "$out: $((bytes / 1000000)) MB, $(git rev-parse --short HEAD)"
if [[ $bytes -gt $most_bytes ]]; then
  echo "gpu_bundle.sh: that is more than $((most_bytes / 1000000)) MB, which a lent machine may not take" >&2
  exit 1
fi
git rev-parse HEAD >"$out/commit"
