"""`regatta duel` of programs whose difference is known: how often it is right.

    python3 -m bench.duels [--times 20] [--seconds 0.1] [--longer 5] [--for 20s]

Half of the duels are between `sleep S` and itself, half between it and a sleep that is `--longer` per cent longer. The
truth of the latter includes the start of a process, which both have. One line a duel, then the sums; exit code 1 if a
verdict was wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter

from tools.regatta_process import BINARY


def duel(a: float, b: float, time_text: str) -> dict:
    command = [
        str(BINARY),
        "duel",
        f"sleep {a:.6f}",
        f"sleep {b:.6f}",
        "--for",
        time_text,
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["contrasts"][0]


def series(name: str, a: float, b: float, times: int, time_text: str) -> Counter[str]:
    verdicts: Counter[str] = Counter()
    for number in range(1, times + 1):
        start = time.monotonic()
        found = duel(a, b, time_text)
        seconds = time.monotonic() - start
        verdicts[found["verdict"]] += 1
        interval = f"[{found['low']}, {found['high']}]"
        print(
            f"{name} {number:2}: {found['verdict']:9} {found['ratio']:.4f}x {interval}"
            f" {found['blocks']} squares, {seconds:.1f} s",
            flush=True,
        )
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--longer", type=float, default=5, help="per cent")
    parser.add_argument("--for", dest="time", default="20s")
    options = parser.parse_args()
    longer = options.seconds * (1 + options.longer / 100)
    same = series("identical", options.seconds, options.seconds, options.times, options.time)
    slower = series("longer", longer, options.seconds, options.times, options.time)
    false = sum(same[verdict] for verdict in ("faster", "slower"))
    print(f"identical: {dict(same)}, {false} false of {options.times}")
    print(
        f"{options.longer:g} % longer: {slower['slower']} of {options.times} right, {dict(slower)}"
    )
    return int(false > 0 or slower["slower"] < options.times)


if __name__ == "__main__":
    sys.exit(main())
