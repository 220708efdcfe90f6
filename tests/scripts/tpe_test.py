"""bench/tpe.py: Optuna suggests, is told, and learns from that. Needs scripts/setup-engines.sh optuna."""

import json
import math
import statistics
import subprocess
import unittest

from tools import ROOT
from tools.interpreters import interpreter

SPACE = {"learning_rate": {"log_uniform": [1e-4, 1e-1]}, "batch": [16, 32]}
BEST = 1e-3


class Tpe(unittest.TestCase):
    def suggestions(self, seed: int, count: int) -> list[dict]:
        command = [str(interpreter("optuna")), str(ROOT / "bench" / "tpe.py"), str(seed)]
        pipe = subprocess.PIPE
        found = []
        with subprocess.Popen([*command, json.dumps(SPACE)], stdin=pipe, stdout=pipe, text=True) as tpe:  # fmt: skip
            assert tpe.stdin and tpe.stdout
            for _ in range(count):
                found.append(json.loads(tpe.stdout.readline()))
                value = -abs(math.log(found[-1]["learning_rate"] / BEST))
                print(value, file=tpe.stdin, flush=True)
            tpe.communicate(timeout=60)
        return found

    def test_suggestions_come_closer_to_the_best(self) -> None:
        found = self.suggestions(1, 60)
        self.assertEqual({each["batch"] for each in found}, {16, 32})
        far = [abs(math.log(each["learning_rate"] / BEST)) for each in found]
        self.assertLess(statistics.median(far[40:]), statistics.median(far[:10]) / 2)

    def test_a_seed_gives_the_same_suggestions(self) -> None:
        self.assertEqual(self.suggestions(3, 12), self.suggestions(3, 12))
        self.assertNotEqual(self.suggestions(3, 2), self.suggestions(4, 2))


if __name__ == "__main__":
    unittest.main()
