"""Two runs that measure on the same cores at once say so, and the rows of both carry a flag."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest

from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, naps, wait_until

FLAG = "other run"
WARNING = "measures on the same cores"


class SideBySide(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": folder.name}

    def duel(self) -> tuple[list[str], str]:
        """Flags of its comparison, and what it says."""
        command = [
            str(BINARY),
            "duel",
            "true",
            "true",
            "--for",
            "3s",
            "--json",
        ]  # looked for each second
        ended = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads(ended.stdout)["contrasts"][0]["flags"], ended.stderr

    def measures(self, scratch: Scratch) -> bool:
        command = [str(BINARY), "status", str(scratch.run_folder), "--json"]
        told = subprocess.run(command, capture_output=True, text=True)
        return told.returncode == 0 and json.loads(told.stdout)["running"] > 0

    def test_both_say_so_and_flag_their_rows(self) -> None:
        say = "import time; time.sleep(0.05); print('{\"s\": 0.05}')"
        scratch = Scratch(naps(lambda seconds: ["python3", "-c", say], again=False))
        self.addCleanup(scratch.remove)
        process = scratch.start("--ranks", "1", XDG_RUNTIME_DIR=self.environment["XDG_RUNTIME_DIR"])
        self.assertTrue(wait_until(lambda: self.measures(scratch), PATIENCE_SECONDS))
        flags, said = self.duel()
        self.assertIn(FLAG, flags)
        self.assertIn(WARNING, said)
        self.assertIn(str(scratch.run_folder), said)
        self.assertIn(process.wait(PATIENCE_SECONDS), (0, 1), scratch.output())
        flagged = [FLAG in contrast["flags"] for contrast in scratch.report()["contrasts"]]
        self.assertTrue(any(flagged))
        self.assertNotIn(WARNING, scratch.output())

    def test_one_after_the_other_say_nothing(self) -> None:
        for _ in range(2):
            flags, said = self.duel()
            self.assertNotIn(FLAG, flags)
            self.assertNotIn(WARNING, said)


if __name__ == "__main__":
    unittest.main()
