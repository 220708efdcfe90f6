"""scripts/setup-orchestrators.sh, with Python, its venv and its pip played by a small script."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTED = ROOT / "scripts/requirements-orchestrators.txt"
PYTHON = """#!/usr/bin/env bash
case "$*" in
  *"-m venv "*) mkdir -p "${@: -1}/bin"; cp "$0" "${@: -1}/bin/python" ;;
  *"-m pip "*) echo "$*" >>"$FAKE_LOG"; exit "${FAKE_PIP_EXIT:-0}" ;;
  *) exit 9 ;;
esac
"""


class SetupOrchestrators(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.log = self.folder / "log"
        self.log.touch()
        python = self.folder / "bin/python3"
        python.parent.mkdir()
        python.write_text(PYTHON)
        python.chmod(0o700)
        self.environment = self.folder / "cache/regatta/orchestrators"

    def run_script(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "FAKE_LOG": str(self.log),
            **variables,
        }
        script = ["bash", str(ROOT / "scripts/setup-orchestrators.sh"), *arguments]
        return subprocess.run(script, env=environment, capture_output=True, text=True, timeout=60)

    def pip_calls(self) -> list[str]:
        return self.log.read_text().splitlines()

    def test_installs_what_the_list_pins_once(self) -> None:
        for _ in range(2):
            done = self.run_script()
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, f"{self.environment}/bin/python\n")
        (call,) = self.pip_calls()
        for option in ("--require-hashes", "--no-deps", str(LISTED)):
            self.assertIn(option, call)

    def test_another_list_is_installed_anew(self) -> None:
        self.run_script()
        (self.environment / "requirements.txt").write_text("an older list\n")
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(len(self.pip_calls()), 2)

    def test_what_was_cut_off_is_installed_again(self) -> None:
        done = self.run_script(FAKE_PIP_EXIT="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not install", done.stderr)
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(len(self.pip_calls()), 2)

    def test_an_unknown_option_installs_nothing(self) -> None:
        self.assertEqual(self.run_script("--all").returncode, 2)
        self.assertEqual(self.pip_calls(), [])


class List(unittest.TestCase):
    def test_every_package_is_pinned_and_hashed_and_those_asked_for_are_documented(self) -> None:
        pinned = {}
        for package in LISTED.read_text().replace("\\\n", " ").splitlines():
            with self.subTest(package=package[:40]):
                self.assertRegex(package, r"^[\w.-]+==[\w.+-]+ .*--hash=sha256:[0-9a-f]{64}")
            name, _, version = package.split()[0].partition("==")
            pinned[name] = version
        page = (ROOT / "docs/dependencies.md").read_text()
        for asked in LISTED.with_suffix(".in").read_text().split():
            name = re.sub(r"\[.*", "", asked)
            self.assertRegex(page, rf"`{name}`.* {re.escape(pinned[name])} ")


if __name__ == "__main__":
    unittest.main()
