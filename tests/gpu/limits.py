"""Phase 31: what the device can do at most, by the worker's own calibration: products, launches, graph nodes, copies.

The whole answer is kept: predictions and `faster than the hardware` are checked against it.
"""

from __future__ import annotations

import json
import subprocess
import sys

from phase import Clock, absent, bundle, keep


def main() -> int:
    command = [str(bundle() / "bin/regatta-worker"), "calibrate", "--device", "cuda"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=max(1.0, Clock().left), check=False
    )
    if "unknown option" in done.stderr:
        absent("calibrate --device of this worker")
    print(done.stderr, end="")
    if done.returncode != 0:
        return 1
    found = json.loads(done.stdout)
    keep("limits", found)
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
