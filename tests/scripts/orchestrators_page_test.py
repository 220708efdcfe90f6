"""bench/orchestrators_page.py: what docs/background/orchestrators.md says of recorded rounds."""

import json
import unittest

from bench import orchestrators
from bench import orchestrators_page as page


def record(rounds: int = 5, load: float = 0.1, **own: float) -> dict:
    """Others do 1,000 tasks a second and start in 2 s; Regatta as `own` says, else ten times as much in 0.2 s."""

    def figures(kind: str, name: str, number: int) -> dict:
        more = 1 + 0.01 * number  # the same for all of a round: ratios are by round
        if kind == "start":
            whole = own.get(kind, 0.2) if name == "Regatta" else 2.0
            return {"first": more * whole / 2, "whole": more * whole}
        rate = own.get(kind, 10_000.0) if name == "Regatta" else 1000.0
        return {"per_second": more * rate, "tasks": 1500}

    def one(number: int) -> dict:
        return {
            kind: {name: figures(kind, name, number) for name in notes}
            for kind, notes in page.NOTES.items()
        }

    return {
        "machine": "a machine",
        "disk": "a disk",
        "utc": "today",
        "load": load,
        "commit": "abcdef",
        "versions": {"ray": "1.2"},
        "seconds": 600.0,
        "rounds": [one(number) for number in range(rounds)],
    }


class Bars(unittest.TestCase):
    def lines(self, recorded: dict) -> list[list[str]]:
        return [bar.line(recorded) for bar in page.BARS]

    def test_a_bar_is_one_of_the_median_with_the_range_beside_it(self) -> None:
        lines = self.lines(record(one=2999.0, batched=98_500.0, command=690.0))
        self.assertEqual(lines[0][1:], ["at least 3x", "3x [3, 3]", "**missed**"])
        self.assertEqual(lines[1][2:], ["100,000/s [98,500, 102,000]", "met"])
        self.assertEqual(lines[2][2:], ["0.69x [0.69, 0.69]", "**missed**"])

    def test_of_seconds_fewer_are_better(self) -> None:
        lines = self.lines(record(start=0.52))
        self.assertEqual(lines[-2][1:], ["at most 0.3 s", "0.265 s [0.26, 0.27]", "met"])
        self.assertEqual(lines[-1][1:], ["at most 0.5 s", "0.53 s [0.52, 0.541]", "**missed**"])

    def test_all_six_are_told(self) -> None:
        asked = [line[1] for line in self.lines(record())]
        self.assertEqual(asked, ["at least 3x", "at least 100,000/s", "at least 0.7x", "at least 3x",
                                 "at most 0.3 s", "at most 0.5 s"])  # fmt: skip


class Page(unittest.TestCase):
    def test_what_is_timed_is_what_is_told(self) -> None:
        self.assertEqual(
            {kind: set(timed) for kind, timed in orchestrators.ways().items()},
            {kind: set(notes) for kind, notes in page.NOTES.items()},
        )
        self.assertEqual(list(page.NOTES), list(page.TITLES))

    def test_a_ratio_says_how_many_times_as_fast_regatta_is(self) -> None:
        text = page.page_of(record())
        self.assertIn("| Regatta | 10,200 [10,000, 10,400] | – |", text)
        self.assertIn("| Ray | 1,020 [1,000, 1,040] | 10x [10, 10] |", text)
        self.assertIn("| Dask | 1.02 s [1, 1.04] | 2.04 s [2, 2.08] | 10x [10, 10] |", text)

    def test_figures_are_short(self) -> None:
        self.assertEqual([page.rate_text(rate) for rate in (0.4321, 7.77, 123.4, 1234567.0)],
                         ["0.43", "7.8", "123", "1,230,000"])  # fmt: skip
        self.assertEqual([page.times_text(ratio) for ratio in (0.00456, 36.94, 13_123.0)],
                         ["0.00456x", "36.9x", "13,100x"])  # fmt: skip

    def test_a_busy_machine_is_told(self) -> None:
        self.assertIn("5 rounds in 10 minutes, today, by commit abcdef", page.page_of(record()))
        self.assertNotIn("not idle", page.page_of(record()))
        self.assertIn("**The machine was not idle", page.page_of(record(load=2.0)))

    def test_another_try_is_told(self) -> None:
        recorded = record()
        self.assertNotIn("another try", page.page_of(recorded))
        recorded["rounds"][1]["kept"]["Ray Tune"]["tries"] = 2
        self.assertIn("another try: Ray Tune (results kept, round 2).", page.page_of(recorded))

    def test_the_page_is_that_of_the_record(self) -> None:
        self.assertEqual(page.PAGE.exists(), page.RECORD.exists())
        if page.RECORD.exists():
            self.assertEqual(
                page.PAGE.read_text(), page.page_of(json.loads(page.RECORD.read_text()))
            )


if __name__ == "__main__":
    unittest.main()
