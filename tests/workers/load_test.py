"""`regatta-worker load`: the same bytes whatever the threads and wherever it goes on, in memory that does not grow."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "workers" / "python")]

from regatta_worker.order import Order  # noqa: E402
from tools.hostile_commands import crc32c  # noqa: E402
from tools.regatta_process import wait_until  # noqa: E402

WORKER = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin" / "regatta-worker"
ROWS, WIDTH, BATCH = 4_000, 256, 50
STEPS_PER_EPOCH = ROWS // BATCH
READING_TICKS = 5  # processor time: starting takes none
SPARE_BYTES = 1 << 20  # pages of the program that are touched late


class Load(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        random = np.random.default_rng(0)
        np.save(self.folder / "x.npy", random.standard_normal((ROWS, WIDTH), np.float32))
        np.save(self.folder / "y.npy", random.integers(0, 10, ROWS))

    def start(self, *options: object) -> subprocess.Popen[str]:
        words = [WORKER, "load", "--data", "x.npy", "--labels", "y.npy", *options]
        words += [] if "--batch" in options else ["--batch", BATCH]
        command = [str(word) for word in words]
        return subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def start_and_let_it_read(self, *options: object) -> subprocess.Popen[str]:
        """By the time that it used, which a busy machine may give it late."""
        process = self.start("--seconds", 60, *options)
        stat = Path(f"/proc/{process.pid}/stat")

        def used_ticks() -> int:
            fields = stat.read_text().rpartition(")")[2].split()
            return int(fields[11]) + int(fields[12])

        self.assertTrue(wait_until(lambda: used_ticks() >= READING_TICKS, 60))
        return process

    def load(self, *options: object) -> dict:
        out, error = self.start(*options).communicate(timeout=60)
        self.assertEqual(error, "")
        return json.loads(out)

    def test_threads_and_depth_change_no_byte(self) -> None:
        steps = ("--steps", 3 * STEPS_PER_EPOCH, "--flips", "yes")
        alone = self.load("--threads", 0, *steps)["digest"]
        for options in (("--threads", 1), ("--threads", 2), ("--threads", 2, "--depth", 7)):
            self.assertEqual(self.load(*options, *steps)["digest"], alone, options)
        self.assertNotEqual(self.load("--seed", 1, *steps)["digest"], alone)

    def test_it_goes_on_at_any_step(self) -> None:
        for first in (0, 17, STEPS_PER_EPOCH, 5 * STEPS_PER_EPOCH + 3):
            options = ("--first-step", first, "--steps", 30)
            there = self.load("--threads", 2, *options)
            self.assertEqual(there["steps_done"], first + 30)
            self.assertEqual(there["digest"], self.load("--threads", 0, *options)["digest"])

    def test_workers_in_python_read_the_same_rows(self) -> None:
        """Through three epochs, each of which leaves a tail out."""
        x = np.random.default_rng(1).standard_normal((103, 2), np.float32)
        np.save(self.folder / "x.npy", x)
        np.save(self.folder / "y.npy", np.arange(103, dtype=np.int32))
        order, parts = Order(np.arange(103), 10, 7), []
        for step in range(30):
            rows = order.rows_of(step)
            parts += [x[rows].tobytes(), rows.astype(np.int32).tobytes()]
        found = self.load("--batch", 10, "--steps", 30, "--seed", 7, "--threads", 0)["digest"]
        self.assertEqual(found, crc32c(b"".join(parts)))

    def test_memory_is_the_same_after_many_epochs(self) -> None:
        one = self.load("--steps", STEPS_PER_EPOCH, "--threads", 2)
        many = self.load("--steps", 10 * STEPS_PER_EPOCH, "--threads", 2)
        self.assertLess(many["peak_bytes"], one["peak_bytes"] + SPARE_BYTES)
        capped = self.load("--steps", 10 * STEPS_PER_EPOCH, "--threads", 2, "--memory", "256KiB")
        self.assertLessEqual(capped["slab_bytes"], 256 << 10)
        saved = many["slab_bytes"] - capped["slab_bytes"]
        self.assertLess(capped["peak_bytes"], many["peak_bytes"] - saved + SPARE_BYTES)

    def test_it_says_where_its_time_went(self) -> None:
        parts = ("wait", "compute", "read", "decode", "collate", "slot_wait")
        steps = ("--steps", 2 * STEPS_PER_EPOCH)
        copied = self.load("--threads", 2, "--depth", 3, "--step-microseconds", 200, *steps)
        for part in parts:
            self.assertGreaterEqual(copied[f"{part}_seconds"], 0, part)
        self.assertEqual(copied["decode_seconds"], 0)
        self.assertGreater(copied["collate_seconds"], 0)
        self.assertGreater(copied["slot_wait_seconds"], 0)
        whole = copied["wait_seconds"] + copied["compute_seconds"]
        self.assertAlmostEqual(copied["wait_share"], copied["wait_seconds"] / whole)
        self.assertGreater(self.load("--flips", "yes", *steps)["decode_seconds"], 0)
        scaled = ("--threads", 0, "--dtype", "float32", "--scale", 2, *steps)
        self.assertEqual(self.load(*scaled)["slot_wait_seconds"], 0)
        # Stopped in the middle of a copy, as on a busy machine, a copy of 0.2 ms may look longest.
        self.assertIn("decode", (self.load(*scaled)["bound_by"] for _ in range(20)))

    def test_it_shares_no_memory_and_writes_no_file_that_a_kill_would_leave(self) -> None:
        process = self.start_and_let_it_read("--threads", 2)
        proc = Path(f"/proc/{process.pid}")
        shared = [
            line for line in (proc / "maps").read_text().splitlines() if "s" in line.split()[1]
        ]
        opened = [os.readlink(link) for link in (proc / "fd").iterdir() if int(link.name) > 2]
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=10)
        self.assertEqual((shared, opened), ([], []))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["x.npy", "y.npy"])

    def test_a_file_that_is_cut_short_meanwhile_ends_it_with_one_line(self) -> None:
        for threads in (0, 2):
            process = self.start_and_let_it_read("--threads", threads)
            os.truncate(self.folder / "x.npy", 4096)
            out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (2, ""))
            self.assertIn("a data file was cut short while it was read", error)
            self.assertEqual(error.count("\n"), 1, error)
            self.setUp()

    def test_what_it_cannot_do_ends_with_one_line(self) -> None:
        for options, words in (
            (("--batch", ROWS + 1), "is more than the 4000 samples"),
            (("--ranks", 3), "cannot be shared by 3 ranks"),
            (("--tail", "cut"), "it knows drop, keep, pad"),
            (("--threads", "two"), "a number from 0 to 256"),
            (("--threads", 100_000), "a number from 0 to 256"),
            (("--first-step", 2**63 - 1), "a number from 0 to 9007199254740992"),
            (("--scale", "1e39"), "a number from -1e+30 to 1e+30"),
            (("--seconds", 0), "a number from 0.001 to 86400"),
            (("--tail", "pad", "--batch", 2**31), "of memory that batches may"),
            (("--seed", 1, "--seed", 2), "is given twice"),
            (("--memory", "1KiB"), "take more than the 1.0 KiB"),
            (("--memory", "much"), "needs a size"),
        ):
            process = self.start(*options)
            out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (2, ""), options)
            self.assertIn(words, error)
            self.assertEqual(error.count("\n"), 1, error)


if __name__ == "__main__":
    unittest.main()
