"""`regatta-worker feed` as a process: how it ends, what it leaves, and what its consumer is told."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from subprocess import Popen
from unittest import mock

import numpy as np

from feed_files import (
    BATCH,
    ROOT,
    ROWS,
    STEPS_PER_EPOCH,
    WORKER,
    WithFiles,
    children_of,
    is_gone,
    until,
)

# isort: split
from regatta.feed import Feed
from regatta.feeder import FeedError
from tools.safetensors import write_safetensors

# Makes a feed of the arguments, tells its process, and takes a batch for each line that it is sent.
CONSUMER = """
import os, sys
from regatta.feed import Feed
feed = Feed(sys.argv[1:], patience_seconds=2)
copy = os.fork() if "REGATTA_TEST_FORKS" in os.environ else None
if copy == 0:
    import time
    time.sleep(60)
print(feed._feeder.process.pid, copy, flush=True)
for line in sys.stdin:
    print(feed.places[feed.next()][1][0], flush=True)
"""


class Ends(WithFiles):
    def test_with_its_feed(self) -> None:
        feed = self.feed()
        process = feed._feeder.process.pid
        feed.next()
        feed.close()
        self.assertTrue(is_gone(process))
        self.assertEqual(feed._feeder.process.returncode, 0, "by itself")
        with self.assertRaisesRegex(RuntimeError, "closed"):
            feed.next()
        with Feed(self.words()) as feed:
            process = feed._feeder.process.pid
        self.assertTrue(is_gone(process))

    def test_by_itself_though_a_copy_of_its_consumer_lives(self) -> None:
        feed = self.feed()
        copy = os.fork()
        if copy == 0:
            signal.pause()
        self.addCleanup(os.waitpid, copy, 0)
        self.addCleanup(os.kill, copy, signal.SIGKILL)
        feed.close()
        self.assertEqual(feed._feeder.process.returncode, 0)

    def test_by_itself_while_it_opens_its_files(self) -> None:
        shutil.copy(WORKER, self.folder / "regatta-worker")
        reader = self.folder / "regatta-read-hdf5"
        reader.write_text("#!/bin/sh\nexec sleep 60\n")
        reader.chmod(0o755)
        (self.folder / "x.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
        os.environ["REGATTA_WORKER"] = str(self.folder / "regatta-worker")
        self.addCleanup(os.environ.__setitem__, "REGATTA_WORKER", str(WORKER))
        started: list[subprocess.Popen[bytes]] = []

        def popen(*words: object, **how: object) -> subprocess.Popen[bytes]:
            started.append(Popen(*words, **how))
            return started[-1]

        with mock.patch("subprocess.Popen", popen):
            with self.assertRaisesRegex(RuntimeError, "gave nothing for 1 s"):
                Feed(["--data", str(self.folder / "x.h5")], patience_seconds=0.1)
        self.assertEqual(started[0].returncode, 0)

    def test_with_a_feed_that_nobody_holds(self) -> None:
        feed = Feed(self.words("--depth", 4))
        held = feed.places[feed.next()]
        kept = [array.copy() for array in held]
        process = feed._feeder.process.pid
        del feed
        gc.collect()
        self.assertTrue(is_gone(process))
        for array, copy in zip(held, kept):
            np.testing.assert_array_equal(array, copy)

    def test_at_once_while_it_waits_for_nothing_but_its_consumer(self) -> None:
        consumer = self.run_alone(CONSUMER, *self.words())
        process = int(consumer.stdout.readline().split()[0])
        self.assertEqual(children_of(consumer.pid), [process])
        consumer.kill()
        self.assertTrue(until(lambda: is_gone(process)))

    def test_with_its_consumer_though_a_copy_of_it_lives(self) -> None:
        os.environ["REGATTA_TEST_FORKS"] = "1"
        self.addCleanup(os.environ.pop, "REGATTA_TEST_FORKS")
        consumer = self.run_alone(CONSUMER, *self.words())
        process, copy = (int(word) for word in consumer.stdout.readline().split())
        self.addCleanup(os.kill, copy, signal.SIGKILL)
        consumer.kill()
        self.assertTrue(until(lambda: is_gone(process)))

    def test_not_with_a_thread_that_made_its_feed(self) -> None:
        feeds: list[Feed] = []
        thread = threading.Thread(target=lambda: feeds.append(self.feed("--depth", 2)))
        thread.start()
        thread.join()
        for _ in range(3 * STEPS_PER_EPOCH):
            feeds[0].next()

    def test_without_a_trace(self) -> None:
        before = sorted(os.listdir("/dev/shm"))
        feed = self.feed()
        feed.next()
        opened = [os.readlink(f"/proc/{feed._feeder.process.pid}/fd/{n}") for n in (1, 2)]
        self.assertEqual(opened[0], "/dev/null")
        feed._feeder.process.kill()
        feed._feeder.process.wait()
        self.assertEqual(sorted(os.listdir("/dev/shm")), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["x.npy", "y.npy"])

    def test_its_memory_does_not_grow(self) -> None:
        feed = self.feed("--threads", 2, "--dtype", "float32")

        def resident_after(epochs: int) -> int:
            for _ in range(epochs * STEPS_PER_EPOCH):
                feed.next()
            lines = Path(f"/proc/{feed._feeder.process.pid}/status").read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

        first = resident_after(60)  # all places were filled
        self.assertLess(resident_after(600), first + 1024)


class Told(WithFiles):
    def test_what_killed_it_once_its_batches_are_used_up(self) -> None:
        feed = self.feed("--depth", 8)
        feed.next()
        self.assertTrue(until(lambda: feed._feeder.process.poll() is None))
        time.sleep(0.2)  # all places are filled
        feed._feeder.process.kill()
        with self.assertRaisesRegex(RuntimeError, r"killed by SIGKILL\): it said nothing"):
            for _ in range(100):
                feed.next()
        self.assertGreaterEqual(feed.seconds()["batches"], 8)
        with self.assertRaises(FeedError):
            feed.next()

    def test_a_file_that_is_cut_short_meanwhile(self) -> None:
        np.save(self.folder / "x.npy", np.full((400, 4096), 1, np.uint8))
        np.save(self.folder / "y.npy", np.arange(400))
        feed = self.feed()
        feed.next()
        os.truncate(self.folder / "x.npy", 4096)
        with self.assertRaisesRegex(FeedError, "a data file was cut short while it was read"):
            for _ in range(10_000):
                feed.next()

    def test_that_it_gives_nothing(self) -> None:
        feed = self.feed("--depth", 2, patience_seconds=0.2)
        feed.next()
        feed._feeder.process.send_signal(signal.SIGSTOP)
        self.addCleanup(feed._feeder.process.kill)
        with self.assertRaisesRegex(RuntimeError, "gave nothing for 0.2 s .*look at the storage"):
            for _ in range(100):
                feed.next()

    def test_where_the_time_went_while_somebody_took_batches(self) -> None:
        np.save(self.folder / "x.npy", np.zeros((ROWS, 20_000), np.uint8))
        feed = self.feed("--threads", 1, "--depth", 4)
        for _ in range(200):
            feed.next()
        first = feed.seconds()
        self.assertEqual(first["batches"], 200)
        self.assertGreater(first["collate"], 0)
        self.assertGreater(first["wait"], 0)
        time.sleep(0.3)
        self.assertEqual(feed.seconds(), first, "all clocks stand still")
        begin = time.perf_counter()
        feed.next()
        second = feed.seconds()
        passed = time.perf_counter() - begin
        self.assertLess(second["collate"] - first["collate"], passed, "one thread")
        feed.next()
        time.sleep(0.1)
        self.assertGreater(feed.seconds()["compute"], second["compute"] + 0.1)


class Stopped(WithFiles):
    def test_for_longer_than_anybody_waits_it_goes_on(self) -> None:
        """The feeder first, so that its consumer waits; then the whole process group, as between slices. The consumer
        goes on first, and waits for more than a second."""
        consumer = self.run_alone(CONSUMER, *self.words("--threads", 0, "--order", "file"))
        process = int(consumer.stdout.readline().split()[0])
        self.assertEqual(self.asked(consumer), 0)
        os.kill(process, signal.SIGSTOP)
        consumer.stdin.write("\n")
        consumer.stdin.flush()
        time.sleep(0.3)
        os.killpg(consumer.pid, signal.SIGSTOP)
        time.sleep(2.2)  # its patience is two seconds
        os.kill(consumer.pid, signal.SIGCONT)
        time.sleep(1.2)
        os.kill(process, signal.SIGCONT)
        self.assertEqual(int(consumer.stdout.readline()), BATCH)
        self.assertEqual(self.asked(consumer), 2 * BATCH)

    def asked(self, consumer: subprocess.Popen[str]) -> int:
        consumer.stdin.write("\n")
        consumer.stdin.flush()
        return int(consumer.stdout.readline())


class Refuses(WithFiles):
    def test_what_it_cannot_do_with_one_line(self) -> None:
        y = np.zeros((2, 3), np.int32)
        batches = self.folder / "b.safetensors"
        write_safetensors(batches, {"x": np.full((2, 3, 1), 0.3, np.float32), "y": y})
        flat = self.folder / "flat.safetensors"
        write_safetensors(flat, {"x": np.zeros(3, np.float32), "y": y})
        empty = self.folder / "empty.safetensors"
        write_safetensors(empty, {"x": np.zeros((5, 0, 3), np.float32), "y": y[:0]})
        cut = self.folder / "cut.safetensors"
        cut.write_bytes(batches.read_bytes()[:-5])
        for words, expected in (
            ("", "feed reads one of --data, --batches and --training"),
            (f"--data x.npy --batches {batches}", "feed reads one of"),
            (f"--data {self.folder}/none.npy", "No such file"),
            (f"--batches {cut}", "cut.safetensors' is damaged"),
            (f"--batches {flat}", "the tensor 'x' has 1 axes"),
            (f"--batches {empty}", "has no samples"),
            (f"--batches {batches} --order file", "unknown option '--order'"),
            (f"--batches {batches} --as uint8", "--as uint8 needs --x-scale"),
            (f"--batches {batches} --as uint8 --x-scale 0.25", "holds 0.3, which is no byte times"),
            (f"--batches {batches} --as uint8 --x-scale 0", "a number from"),
            (f"--batches {batches} --as bytes", "it knows float32, float64, uint8"),
            (f"--training {batches}", "lacks|missing|no tensor"),
            (f"--data {self.folder}/x.npy --batch 500", "is more than the 403 samples"),
            (f"--data {self.folder}/x.npy --tail keep", "unknown option '--tail'"),
        ):
            with self.subTest(words), self.assertRaisesRegex(FeedError, expected) as refused:
                Feed(words.split())
            self.assertTrue(refused.exception.is_refused)

    def test_to_work_without_a_consumer(self) -> None:
        done = subprocess.run(
            [WORKER, "feed", *self.words()], capture_output=True, text=True, timeout=60
        )
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^[^\n]*--fd is missing[^\n]*\n$")

    def test_to_write_to_a_descriptor_that_is_closed(self) -> None:
        done = subprocess.run(
            [WORKER, "feed", *self.words("--fd", 987)], capture_output=True, text=True, timeout=60
        )
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--fd 987: no such descriptor is open", done.stderr)

    def test_a_consumer_that_speaks_nonsense(self) -> None:
        for said in (b"x", b"b" * 5000):
            feed = self.feed("--depth", 4)
            feed._feeder._link.sendall(said)
            with self.assertRaisesRegex(FeedError, "speaks nonsense|more batches came back"):
                for _ in range(100):
                    feed.next()

    def test_a_program_of_another_version(self) -> None:
        program = self.folder / "regatta-worker"
        program.write_text(
            f"#!{sys.executable}\n"
            "import os, socket, sys\n"
            "link = socket.socket(fileno=int(sys.argv[sys.argv.index('--fd') + 1]))\n"
            "socket.send_fds(link, [b'{\"version\":99}\\n'], [0])\n"
            "link.recv(1)\n"
        )
        program.chmod(0o755)
        os.environ["REGATTA_WORKER"] = str(program)
        self.addCleanup(os.environ.__setitem__, "REGATTA_WORKER", str(WORKER))
        with self.assertRaisesRegex(RuntimeError, "speaks version 99"):
            Feed([])


class BesideAnEngine(unittest.TestCase):
    def test_the_link_of_an_engine_stays_its_own(self) -> None:
        """Importing the package makes a script a worker, but not a process that serves an engine."""
        ours, theirs = socket.socketpair()
        script = "import os, sys; os.dup2(int(sys.argv[1]), 3); import regatta_worker, regatta.feed"
        done = subprocess.run(
            [sys.executable, "-c", script, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": str(ROOT / "workers" / "python")},
            timeout=60,
        )
        ours.close()
        theirs.close()
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
