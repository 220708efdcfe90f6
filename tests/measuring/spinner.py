"""A hostile neighbour: turns busy and idle by a seeded draw, pinned to one core.

python3 spinner.py CORE SEED
"""

from __future__ import annotations

import os
import random
import sys
import time

BUSY_SECONDS = 0.020  # mean of an exponential draw
IDLE_SECONDS = 0.060


def spin(core: int, seed: int) -> None:
    os.sched_setaffinity(0, {core})
    draw = random.Random(seed)
    while True:
        end = time.monotonic() + draw.expovariate(1 / BUSY_SECONDS)
        while time.monotonic() < end:
            pass
        time.sleep(draw.expovariate(1 / IDLE_SECONDS))


if __name__ == "__main__":
    spin(int(sys.argv[1]), int(sys.argv[2]))
