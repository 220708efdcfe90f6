"""Ranks of one job whose native kernels are of different instruction sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def has_avx512() -> bool:
    """Whether kernels in AVX2 are others than those that this processor takes by itself."""
    return "avx512vl" in Path("/proc/cpuinfo").read_text()


def mpirun(sets: Sequence[str]) -> tuple[str, ...]:
    """The command before another one, which is then started once for each of these; "" leaves a rank its own."""
    cases = "".join(
        f"{rank}) export REGATTA_ISA={name};; " for rank, name in enumerate(sets) if name
    )
    script = f'case $OMPI_COMM_WORLD_RANK in {cases}esac; exec "$@"'
    return (
        *("mpirun", "--quiet", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe"),
        *("-n", str(len(sets)), "sh", "-c", script, "sh"),
    )
