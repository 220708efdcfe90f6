"""A trial that kills its rank is a failed row after `limits.attempts`; the others have their results by then."""

from __future__ import annotations

import unittest

from tools import journal
from tools.regatta_process import Scratch

# The rank is the parent of the keeper, whose child starts programs.
POISON = (
    "rank=$PPID; for _ in keeper rank; do rank=$(cut -d' ' -f4 /proc/$rank/stat); done; "
    "kill -KILL $rank; sleep 60"
)
MOST_LIVES = 8


def sweep(attempts: int) -> dict:
    names = [f"good{i}" for i in range(5)]
    names.insert(2, "poison")
    return {
        "regatta": 1,
        "name": "poison",
        "axes": {"engine": ["command"], "command": names},
        "commands": {
            name: {"argv": ["sh", "-c", POISON if name == "poison" else "sleep 0.1"]}
            for name in names
        },
        "measure": {"slices": 1, "steps": 1},
        "limits": {"attempts": attempts},
    }


class Poison(unittest.TestCase):
    def run_lives(self, attempts: int, ranks: int) -> tuple[Scratch, list[int]]:
        scratch = Scratch(sweep(attempts))
        self.addCleanup(scratch.remove)
        codes: list[int] = []
        while len(codes) < MOST_LIVES and (not codes or codes[-1] == 75):
            codes.append(scratch.run("--ranks", str(ranks)))
        return scratch, codes

    def check_lives(self, codes: list[int], attempts: int, scratch: Scratch) -> None:
        """Each death costs a life, and so may one that is blamed on a trial beside it, which clears itself."""
        self.assertEqual(codes[-1], 1, scratch.output())
        self.assertEqual(set(codes[:-1]), {75}, scratch.output())
        self.assertIn(len(codes), (attempts + 1, attempts + 2), scratch.output())

    def test_five_finish_and_the_one_that_kills_its_rank_fails(self) -> None:
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                scratch, codes = self.run_lives(attempts=2, ranks=ranks)
                self.check_lives(codes, 2, scratch)
                trials = scratch.report()["trials"]
                status = [trial["status"] for trial in trials]
                self.assertEqual(status.count("finished"), 5, scratch.output())
                failed = next(trial for trial in trials if trial["status"] == "failed")
                self.assertRegex(str(failed), r"took its rank down \([^)]+\), 2 times")
                self.assertEqual(scratch.processes(), [])

    def test_it_runs_last_and_alone(self) -> None:
        scratch, codes = self.run_lives(attempts=3, ranks=2)
        self.check_lives(codes, 3, scratch)
        kinds = [record.kind for record in journal.records(scratch.journal)]
        begins = [at for at, kind in enumerate(kinds) if kind == "header"]
        self.assertEqual(len(begins), len(codes))
        last_death = kinds[begins[-2] : begins[-1]]
        self.assertEqual(kinds[: begins[-2]].count("result"), 5, kinds)
        self.assertEqual((last_death.count("granted"), last_death.count("result")), (1, 0), kinds)

    def test_it_is_tried_again_on_request(self) -> None:
        scratch, codes = self.run_lives(attempts=1, ranks=1)
        self.check_lives(codes, 1, scratch)
        self.assertEqual(scratch.run("--ranks", "1", "--rerun", "failed"), 75, scratch.output())


if __name__ == "__main__":
    unittest.main()
