"""scripts/count_tests.py: only a test that ran and passed counts as passed; what failed, with the end of what it said."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(text: str | None, *options: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ctest.xml"
        if text is not None:
            file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-B", ROOT / "scripts/count_tests.py", *options, file]
        return subprocess.run(command, capture_output=True, text=True)


class CountTests(unittest.TestCase):
    def test_failed_skipped_and_disabled_do_not_pass(self) -> None:
        statuses = ["run", "fail", "notrun", "disabled", "run"]
        cases = "".join(f'<testcase name="t" status="{status}"/>' for status in statuses)
        self.assertEqual(run(f"<testsuite>{cases}</testsuite>").stdout, "2 3\n")

    def test_no_tests(self) -> None:
        self.assertEqual(run("<testsuite></testsuite>").stdout, "0 0\n")

    def test_no_file_or_a_torn_one_is_an_error(self) -> None:
        for options in ((), ("--failed",)):
            for text in (None, "<testsuite>"):
                done = run(text, *options)
                self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_those_that_failed_are_told_with_their_last_lines(self) -> None:
        long = "\n".join(str(line) for line in range(50))
        cases = (
            '<testcase name="fine" status="run"><system-out>all well</system-out></testcase>'
            f'<testcase name="bad" status="fail"><system-out>{long}\n</system-out></testcase>'
            '<testcase name="lacking" status="notrun"/>'
        )
        lines = run(f"<testsuite>{cases}</testsuite>", "--failed").stdout.splitlines()
        self.assertEqual(lines[0], "FAILED bad")
        self.assertEqual(lines[1:21], [f"  {line}" for line in range(30, 50)])
        self.assertEqual(lines[21:], ["FAILED lacking", "  (it did not run)"])

    def test_nothing_is_said_where_all_passed(self) -> None:
        done = run('<testsuite><testcase name="fine" status="run"/></testsuite>', "--failed")
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
