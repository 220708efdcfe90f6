"""The best of cells in several blocks meet again in one block, a final: whoever kills the run then, and reads it."""

from __future__ import annotations

import json
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools import journal
from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, set_pace, wait_until

MEASURED_AGAIN = 2  # bit of a result (docs/reference/results.md)
AGAIN = "1 block with the best of many cells: measuring again, in fresh processes"

# Thousandths of a second that each command says a step took. Six share a block, the last three the other one.
TIMES = {"base": 20, "a": 9, "b": 30, "c": 8, "d": 31, "e": 32, "f": 7, "g": 10, "h": 11}
BEST = {"base", "f", "c", "a", "g", "h"}

# A step says how long it took, and takes as long by the clock as a file says. Once a session of the journal has ended,
# f is slow.
STEP = """
read -r seconds < "$0.seconds" && [ "$seconds" != 0 ] && sleep "$seconds"
taken=$1
if [ "$2" = f ] && read -r journal < "$0.journal" && grep -aq ' session_end ' "$journal"; then
  taken=0.012
fi
echo "{\\"s\\": $taken}"
"""


def nine_cells(script: str) -> dict:
    return {
        "regatta": 1,
        "name": "cells",
        "axes": {"command": list(TIMES), "engine": ["command"]},
        "commands": {
            name: {"argv": ["sh", script, f"{time / 1000}", name], "metric": "json:s"}
            for name, time in TIMES.items()
        },
        "compare": {"over": ["command"], "baseline": {"command": "base"}},
        "measure": {"slices": 84, "steps": 1},
    }


class Finals(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.script = self.folder / "step.sh"
        self.script.write_text(STEP)

    def scratch(self) -> Scratch:
        scratch = Scratch(nine_cells(str(self.script)))
        self.addCleanup(scratch.remove)
        set_pace(self.script, "0")
        return scratch

    def regatta(self, *words: object) -> str:
        done = subprocess.run([str(BINARY), *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def results(self, scratch: Scratch) -> list[tuple[str, bool, int]]:
        """Each recorded block: its identity, whether it is a final, and how many arms it has."""
        found = []
        for record in journal.results(scratch.journal):
            bits = journal.RESULT_HEAD.unpack_from(record.payload)[0]
            at = journal.RESULT_HEAD.size + struct.calcsize(
                "<QQI"
            )  # where the list of flags begins
            (flags,) = struct.unpack_from("<I", record.payload, at)
            at += 4
            for _ in range(flags):
                at += 4 + struct.unpack_from("<I", record.payload, at)[0]
            (arms,) = struct.unpack_from("<I", record.payload, at)
            found.append((record.hash, bool(bits & MEASURED_AGAIN), arms))
        return found

    def fastest(self, file: Path) -> dict:
        report = json.loads(self.regatta("report", file, "--json"))
        (fastest,) = report["fastest"]
        return fastest

    def check_end(self, scratch: Scratch) -> None:
        """One block was measured again, and the best are told apart by it."""
        finals = [arms for _, is_final, arms in self.results(scratch) if is_final]
        self.assertEqual(finals, [len(BEST)], self.results(scratch))
        fastest = self.fastest(scratch.results)
        self.assertEqual((fastest["cells"], fastest["measured_again"]), (len(TIMES), len(BEST)))
        self.assertFalse(fastest["open"])
        self.assertEqual(fastest["labels"], ["c"], "f was the first before, and is slow now")
        report = scratch.report()
        times = {cell["a"]["command"]: cell for cell in report["contrasts"]}
        self.assertEqual(len(report["contrasts"]), len(TIMES) - 1, "each cell stands once")
        self.assertAlmostEqual(times["f"]["ratio"], 12 / 20, places=3)
        self.assertAlmostEqual(times["b"]["ratio"], 30 / 20, places=3)

    def test_one_block_of_the_best_is_measured_again(self) -> None:
        scratch = self.scratch()
        process = self.begin_pass(scratch)
        set_pace(self.script, "0")
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0, scratch.output())
        self.assertEqual(scratch.output().count(AGAIN), 1)
        self.check_end(scratch)
        before = scratch.journal.read_bytes()
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        self.assertEqual(scratch.journal.read_bytes(), before, "nothing is left to do")

    def begin_pass(self, scratch: Scratch) -> subprocess.Popen:
        """Starts a run and waits until it measures again, slowly."""
        Path(f"{self.script}.journal").write_text(f"{scratch.journal}\n")
        process = scratch.start("--ranks", "1")
        self.assertTrue(wait_until(lambda: AGAIN in scratch.output(), PATIENCE_SECONDS))
        set_pace(self.script, "0.2")
        self.assertEqual(len(self.results(scratch)), 2, "both blocks of the sweep")
        return process

    def test_a_run_that_is_killed_in_the_pass_takes_it_when_it_goes_on(self) -> None:
        scratch = self.scratch()
        process = self.begin_pass(scratch)
        status = json.loads(self.regatta("status", scratch.run_folder, "--json"))
        self.assertEqual((status["finished"], status["open"]), (len(TIMES), 0), status)
        scratch.kill_all()
        process.wait(PATIENCE_SECONDS)
        self.assertEqual(len(self.results(scratch)), 2, "both blocks of the sweep, and no final")
        set_pace(self.script, "0")
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        self.check_end(scratch)

    def test_a_run_that_is_drained_in_the_pass_goes_on_with_it(self) -> None:
        scratch = self.scratch()
        process = self.begin_pass(scratch)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
        set_pace(self.script, "0")
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        recorded = self.results(scratch)[2:]
        self.assertEqual({each for each in recorded if each[1]}, set(recorded[:1]), "one final")
        self.assertEqual(self.fastest(scratch.results)["labels"], ["c"])

    def test_every_reader_knows_it(self) -> None:
        scratch = self.scratch()
        process = self.begin_pass(scratch)
        set_pace(self.script, "0")
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0, scratch.output())
        fastest = self.fastest(scratch.results)
        salvaged, merged = scratch.folder / "salvaged", scratch.folder / "merged.h5"
        self.regatta("collect", scratch.run_folder, "--salvage", "-o", salvaged)
        self.regatta("collect", salvaged / scratch.run_folder.name)
        self.assertEqual(self.fastest(salvaged / scratch.results.name), fastest)
        copy = shutil.copy(scratch.results, scratch.folder / "copy.h5")
        self.regatta("merge", scratch.results, copy, "-o", merged)
        self.assertEqual(self.fastest(merged), fastest)
        status = json.loads(self.regatta("status", scratch.run_folder, "--json"))
        self.assertEqual((status["finished"], status["open"]), (len(TIMES), 0), status)

    def test_a_cell_that_joins_the_best_later_is_measured_beside_them(self) -> None:
        scratch = self.scratch()
        scratch.run("--ranks", "1", "--set", "command=" + ",".join(list(TIMES)[:-1]))
        self.assertEqual(len([each for each in self.results(scratch) if each[1]]), 1)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        finals = [arms for _, is_final, arms in self.results(scratch) if is_final]
        self.assertEqual(finals, [len(BEST) - 1, len(BEST)], "the baseline was the fifth, now h is")
        fastest = self.fastest(scratch.results)
        self.assertEqual((fastest["measured_again"], fastest["labels"]), (len(BEST), ["f"]))


if __name__ == "__main__":
    unittest.main()
