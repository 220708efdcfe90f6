"""scripts/failed_tests.py: what failed, with the end of what it said."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(text: str | None) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ctest.xml"
        if text is not None:
            file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-B", ROOT / "scripts/failed_tests.py", file]
        return subprocess.run(command, capture_output=True, text=True)


class FailedTests(unittest.TestCase):
    def test_are_told_with_their_last_lines(self) -> None:
        long = "\n".join(str(line) for line in range(50))
        cases = (
            '<testcase name="fine" status="run"><system-out>all well</system-out></testcase>'
            f'<testcase name="bad" status="fail"><system-out>{long}\n</system-out></testcase>'
            '<testcase name="lacking" status="notrun"/>'
        )
        lines = run(f"<testsuite>{cases}</testsuite>").stdout.splitlines()
        self.assertEqual(lines[0], "FAILED bad")
        self.assertEqual(lines[1:21], [f"  {line}" for line in range(30, 50)])
        self.assertEqual(lines[21:], ["FAILED lacking", "  (it did not run)"])

    def test_nothing_is_said_where_all_passed(self) -> None:
        done = run('<testsuite><testcase name="fine" status="run"/></testsuite>')
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_no_file_or_a_torn_one_is_an_error(self) -> None:
        for text in (None, "<testsuite>"):
            done = run(text)
            self.assertEqual((done.returncode, done.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
