"""Records what this machine does to identical slices of work: the column that replays draw from.

python3 tests/measuring/replay_record.py > tests/measuring/replay_recorded.txt
"""

import hashlib
import time

SLICES = 4096
SLICE_SECONDS = 0.005


def work(data: bytes, times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        hashlib.sha256(data).digest()
    return time.perf_counter() - start


def main() -> None:
    data = bytes(1 << 16)
    per_call = min(work(data, 100) for _ in range(5)) / 100
    times = max(1, round(SLICE_SECONDS / per_call))
    for _ in range(SLICES):
        print(f"{work(data, times) * 1e6:.1f}")  # microseconds


if __name__ == "__main__":
    main()
