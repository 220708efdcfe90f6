"""scripts/count_tests.py: only a test that ran and passed counts as passed."""

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
        command = [sys.executable, "-B", ROOT / "scripts/count_tests.py", file]
        return subprocess.run(command, capture_output=True, text=True)


class CountTests(unittest.TestCase):
    def test_failed_skipped_and_disabled_do_not_pass(self) -> None:
        statuses = ["run", "fail", "notrun", "disabled", "run"]
        cases = "".join(f'<testcase name="t" status="{status}"/>' for status in statuses)
        self.assertEqual(run(f"<testsuite>{cases}</testsuite>").stdout, "2 3\n")

    def test_no_tests(self) -> None:
        self.assertEqual(run("<testsuite></testsuite>").stdout, "0 0\n")

    def test_no_file_or_a_torn_one_is_an_error(self) -> None:
        for text in (None, "<testsuite>"):
            done = run(text)
            self.assertEqual((done.returncode, done.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
