#!/usr/bin/env bash
# In the place of mpirun for the launcher of a bundle: it and its ranks find their plugins and texts here, and not where
# Open MPI was built to look for them.
mpi="$(dirname "$(dirname "$(readlink -f "$0")")")"
export OPAL_PREFIX="$mpi" OPAL_BINDIR="$mpi/bin" OPAL_LIBDIR="$mpi/lib" OPAL_PKGLIBDIR="$mpi/lib/openmpi"
export OPAL_DATADIR="$mpi/share" OPAL_PKGDATADIR="$mpi/share/openmpi" OPAL_SYSCONFDIR="$mpi/etc/openmpi"
export PMIX_PREFIX="$mpi" PMIX_LIBDIR="$mpi/lib" PMIX_PKGLIBDIR="$mpi/lib/pmix" PMIX_SYSCONFDIR="$mpi/etc"
export PMIX_DATADIR="$mpi/share" PMIX_PKGDATADIR="$mpi/share/pmix" PMIX_MCA_mca_base_component_path="$mpi/lib/pmix"
exec "$mpi/libexec/mpirun" "$@"
