#!/usr/bin/env bash
# Copies Open MPI's mpirun, its plugins and its texts, and those of PMIx, for a machine that has none. The libraries
# that
# they load are not among them. mpirun.sh, which goes in front of it, says where they lie.
# usage: copy_mpi.sh DIR
set -euo pipefail
out="$1"
here="$(dirname "${BASH_SOURCE[0]}")"
folder_of() { ompi_info --path "$1" --parsable | cut -d: -f3; }
mkdir -p "$out/bin" "$out/libexec" "$out/lib/openmpi" "$out/lib/pmix" "$out/share" "$out/etc"
cp -L "$(command -v mpirun)" "$out/libexec/mpirun"
for program in mpirun python3; do cp "$here/$program.sh" "$out/bin/$program"; done
# Not for fabrics, other launchers and OpenSHMEM: they are most of what plugins load.
find "$(folder_of pkglibdir)" -name 'mca_*.so' |
  grep -Ev '_(ucx|ofi|psm2?|openib|flux|jsm|slurm|gridengine)\.so$|/mca_(memheap|spml|scoll|sshmem|atomic)_' |
  xargs cp -Lt "$out/lib/openmpi"
cp -rL "$(folder_of pkgdatadir)" "$out/share/openmpi"
cp -rL "$(folder_of sysconfdir)" "$out/etc/openmpi"
# Where Open MPI was built with a PMIx of its own there is nothing more to copy.
plugins="$(ldd "$out"/lib/openmpi/mca_pmix_*.so | awk '$1 ~ /^libpmix\.so/ {print $3; exit}' | xargs -r realpath |
  xargs -r dirname)/pmix"
if [[ -d $plugins ]]; then
  find "$plugins" -name 'pmix_mca_*.so' ! -name '*_slurm.so' -exec cp -Lt "$out/lib/pmix" {} +
  cp -rL "$plugins/../../share/pmix" "$out/share/pmix"
fi
