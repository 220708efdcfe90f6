"""Helpers that tests, benchmarks and scripts share: driving programs, talking to a worker, loads whose answer is known.

Found from the root of the checkout: `python3 -m bench.NAME`, or a test with PYTHONPATH set to the root, as CTest has it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The worker's package, where nothing else (an installation, a build folder) brings it.
sys.path.append(str(ROOT / "workers" / "python"))
