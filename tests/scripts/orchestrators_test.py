"""bench/orchestrators.py takes turns and adds up rounds; bench/peer_tasks.py keeps two in flight and warms up."""

import contextlib
import io
import json
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from unittest import mock

from bench import orchestrators, peer_tasks


class Rounds(unittest.TestCase):
    def setUp(self) -> None:
        self.asked: list[str] = []

        def way(kind: str, name: str) -> orchestrators.Way:
            return lambda: {"per_second": self.asked.append(kind + name) or 1.0}

        self.ways = {kind: {name: way(kind, name) for name in "xyz"} for kind in "abcd"}

    def test_every_way_runs_once_in_an_order_that_is_drawn(self) -> None:
        orders = []
        for number in range(5):
            self.asked.clear()
            found = orchestrators.round_of(self.ways, number)
            self.assertEqual(
                sorted(self.asked), sorted(a + b for a in self.ways for b in self.ways[a])
            )
            self.assertEqual({kind: set(names) for kind, names in found.items()},
                             {kind: set("xyz") for kind in "abcd"})  # fmt: skip
            orders.append(list(self.asked))
        self.assertGreater(len(set(map(tuple, orders))), 1)

    def test_ways_of_a_kind_follow_each_other(self) -> None:
        orchestrators.round_of(self.ways, 3)
        kinds = [way[0] for way in self.asked]
        self.assertEqual([len(set(kinds[at : at + 3])) for at in (0, 3, 6, 9)], [1, 1, 1, 1])

    def test_rounds_add_up_in_the_record(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "record.json"
            record = {"seconds": 0.0, "rounds": []}
            for rounds in (2, 3, 3):
                with contextlib.redirect_stdout(io.StringIO()):
                    orchestrators.run(self.ways, record, rounds, file)
            self.assertEqual(len(json.loads(file.read_text())["rounds"]), 3)
        self.assertEqual(len(self.asked), 3 * 12)


class Regatta(unittest.TestCase):
    def test_trials_are_timed_by_the_journal(self) -> None:
        self.assertGreater(orchestrators.trials_per_second(orchestrators.commands, 20), 1)
        self.assertGreater(
            orchestrators.trials_per_second(orchestrators.noops, 20, "--one-by-one"), 1
        )

    def test_a_sweep_that_fails_is_no_figure(self) -> None:
        def failing(count: int) -> dict:
            sweep = orchestrators.commands(count)
            sweep["commands"]["true"]["argv"] = ["/bin/false"]
            return sweep

        with self.assertRaises(RuntimeError):
            orchestrators.trials_per_second(failing, 2)

    def test_start_is_that_of_three_ranks(self) -> None:
        found = orchestrators.regatta_start()
        self.assertTrue(0 < found["first"] < found["whole"], found)


class Peers(unittest.TestCase):
    def test_what_lacks_is_told_before_anything_runs(self) -> None:
        nowhere = Path("/nowhere/python")
        with (
            mock.patch.object(orchestrators, "PYTHON", nowhere),
            mock.patch.object(orchestrators, "BINARY", nowhere),
            mock.patch.object(orchestrators.shutil, "which", lambda _: None),
        ):
            told = "; ".join(orchestrators.missing())
        for word in ("setup-orchestrators.sh", "install-packages.sh", "/nowhere/bench_spawn_loop"):
            self.assertIn(word, told)

    def test_a_peer_that_fails_is_told_with_its_words(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "ended with 3: sorry"):
            orchestrators.last_line(["bash", "-c", "echo sorry >&2; exit 3"])
        self.assertEqual(orchestrators.last_line(["printf", 'other words\\n{"a": 1}\\n']), {"a": 1})

    def test_a_peer_that_hangs_once_is_asked_again(self) -> None:
        answers = [subprocess.TimeoutExpired("ray", 90), {"per_second": 3.0}]
        with (
            mock.patch.object(orchestrators, "last_line", side_effect=answers),
            mock.patch.object(orchestrators, "SETTLE_SECONDS", 0),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            self.assertEqual(orchestrators.peer("ray", "one"), {"per_second": 3.0, "tries": 2})

    def test_two_are_in_flight_and_so_many_run(self) -> None:
        class Counting(ThreadPoolExecutor):
            open, most, sent = 0, 0, 0

            def submit(self, *task):
                self.open, self.sent = self.open + 1, self.sent + 1
                self.most = max(self.most, self.open)
                future = super().submit(*task)
                future.add_done_callback(self.end)
                return future

            def end(self, _: Future) -> None:
                self.open -= 1

        with Counting(1) as pool:
            peer_tasks.two_in_flight(pool, 50)
        self.assertEqual((pool.sent, pool.most), (50, 2))

    def test_a_pool_is_warm_before_the_clock_starts(self) -> None:
        counts: list[int] = []

        def run(count: int) -> None:
            time.sleep(0.0005 * count + (0 if counts else 0.3))
            counts.append(count)

        with (
            mock.patch.object(peer_tasks, "WARM_SECONDS", 0.05),
            mock.patch.object(peer_tasks, "LOOK_SECONDS", 0.2),
            mock.patch.object(peer_tasks, "MEASURE_SECONDS", 0.1),
        ):
            found = peer_tasks.steady(run, 20)
        self.assertEqual(
            counts[:2], [20, 20]
        )  # the first one is no look: cold, it would have been long enough
        self.assertGreater(len(counts), 3)
        self.assertEqual(found["tasks"], counts[-1])
        self.assertTrue(20 < found["per_second"] < 2000, found)

    def test_futures_of_the_standard_library_are_timed(self) -> None:
        with peer_tasks.concurrent_pool() as pool:
            pool.one(10)
            pool.all(10)
            pool.chunks(2000)
            self.assertEqual(len(pool.four()), 4)


if __name__ == "__main__":
    unittest.main()
