"""Phase 32: what Nsight Compute counts in the kernels of the smallest named step, eager: each kernel is seen by itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from arms import Engine, Refused, input_of
from phase import Clock, absent, bundle, group, out
from trials import trials_of

KERNELS = 60
SHOWN_CHARACTERS = 60_000


def profiled(folder: Path, report: Path) -> None:
    """A folder whose worker runs under ncu; it keeps the descriptor of its link."""
    (folder / "bin").mkdir()
    worker = folder / "bin" / "regatta-worker"
    ncu = f"ncu --clock-control none --set basic --target-processes all -c {KERNELS} --log-file {report}"
    worker.write_text(f'#!/bin/sh\nexec {ncu} "{bundle()}/bin/regatta-worker" "$@"\n')
    worker.chmod(0o755)


def main() -> int:
    if shutil.which("ncu") is None:
        absent("ncu")
    clock, trial = Clock(), trials_of(group())[0]
    with tempfile.TemporaryDirectory() as name, input_of(bundle(), trial) as inputs:
        folder, report = Path(name), Path(name) / "report.txt"
        profiled(folder, report)
        try:
            engine = Engine.start(folder, "native", out() / "log.txt", clock.left)
            engine.prepare(trial, inputs, device="cuda", mode="eager")
            engine.slice(2)
            engine.worker.socket.close()  # the end of its link ends it
            engine.worker.process.wait(max(1.0, clock.left))
        except (Refused, subprocess.TimeoutExpired) as error:
            print(f"error: {error}")
        text = report.read_text(errors="replace") if report.exists() else ""
    print(text[:SHOWN_CHARACTERS])
    return 0 if "Duration" in text else 1


if __name__ == "__main__":
    sys.exit(main())
