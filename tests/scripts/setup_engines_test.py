"""scripts/setup-engines.sh, with Python, its venv and its pip played by a small script."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PYTHON = """#!/usr/bin/env bash
case "$*" in
  *version_info*) echo "${FAKE_VERSION:-3.11}" ;;
  *sys.version*) echo "3.11.0 fake" ;;
  *"-m venv "*) mkdir -p "${@: -1}/bin"; cp "$0" "${@: -1}/bin/python" ;;
  *"-m pip "*) echo "$*" >>"$FAKE_LOG"; sleep "${FAKE_PIP_SECONDS:-0}"; exit "${FAKE_PIP_EXIT:-0}" ;;
  *"import jax"* | *"import optuna"* | *"import torch"* | *"import tensorflow"*) echo "1.2.3" ;;
  *) exit 9 ;;
esac
"""


class SetupEngines(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.log = self.folder / "log"
        self.log.touch()
        self.python = self.folder / "python3"
        self.python.write_text(PYTHON)
        self.python.chmod(0o700)
        self.prefix = self.folder / "engines"

    def start(
        self, *arguments: str, python: str | None = None, **variables: str
    ) -> subprocess.Popen:
        python = str(self.python) if python is None else python
        command = ["bash", str(ROOT / "scripts/setup-engines.sh")]
        command += ["--python", python] if python else []
        command += ["--prefix", str(self.prefix), *arguments]
        environment = {**os.environ, "FAKE_LOG": str(self.log), **variables}
        environment.pop("REGATTA_TORCH_INDEX", None)
        environment.update(variables)
        return subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_script(
        self, *arguments: str, python: str | None = None, **variables: str
    ) -> tuple[int, str, str]:
        process = self.start(*arguments, python=python, **variables)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def pip_calls(self) -> list[str]:
        return self.log.read_text().splitlines()

    def test_installs_what_the_list_pins_and_nothing_else(self) -> None:
        code, out, err = self.run_script("jax")
        self.assertEqual(code, 0, err)
        (call,) = self.pip_calls()
        for option in ("--require-hashes", "--no-deps", "workers/python/locks/jax.txt"):
            self.assertIn(option, call)
        self.assertRegex(out, r"^jax: jax 1\.2\.3, \d+ MB, \d+ s, .*engines/jax\n$")

    def test_a_second_run_installs_nothing(self) -> None:
        self.run_script("jax")
        code, out, _ = self.run_script("jax")
        self.assertEqual(code, 0)
        self.assertIn("jax 1.2.3", out)
        self.assertEqual(len(self.pip_calls()), 1)

    def test_two_at_once_install_once(self) -> None:
        both = [self.start("jax", FAKE_PIP_SECONDS="1") for _ in range(2)]
        for process in both:
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(len(self.pip_calls()), 1)

    def test_what_was_cut_off_is_installed_again(self) -> None:
        code, _, err = self.run_script("jax", FAKE_PIP_EXIT="1")
        self.assertEqual(code, 1)
        self.assertIn("installing jax failed", err)
        self.assertEqual(self.run_script("jax")[0], 0)
        self.assertEqual(len(self.pip_calls()), 2)

    def test_another_list_is_installed_anew(self) -> None:
        self.run_script("jax")
        (self.prefix / "jax" / ".regatta-environment").write_text("an older list")
        self.assertEqual(self.run_script("jax")[0], 0)
        self.assertEqual(len(self.pip_calls()), 2)

    def test_a_folder_of_somebody_else_is_left_alone(self) -> None:
        (self.prefix / "jax").mkdir(parents=True)
        (self.prefix / "jax" / "mine").touch()
        code, _, err = self.run_script("jax")
        self.assertEqual(code, 1)
        self.assertIn("was not made by this script", err)
        self.assertTrue((self.prefix / "jax" / "mine").exists())

    def test_a_wheelhouse_needs_no_network(self) -> None:
        wheels = self.folder / "wheels"
        wheels.mkdir()
        self.assertEqual(self.run_script("--wheelhouse", str(wheels), "jax")[0], 0)
        self.assertIn(f"--no-index --find-links {wheels}", self.pip_calls()[0])
        self.assertEqual(self.run_script("--wheelhouse", "/nowhere", "jax")[0], 2)

    def test_torch_may_come_from_another_index(self) -> None:
        code, _, err = self.run_script("torch", REGATTA_TORCH_INDEX="file:///wheels")
        self.assertEqual(code, 0, err)
        self.assertRegex(self.pip_calls()[0], r"--index-url file:///wheels torch==\d")

    def test_an_unfit_python_is_named_before_anything_is_installed(self) -> None:
        code, _, err = self.run_script("tensorflow-2.15", FAKE_VERSION="3.12")
        self.assertEqual(code, 1)
        self.assertIn("tensorflow-2.15 has packages for Python 3.11", err)
        self.assertIn("older than 3.11", self.run_script("jax", FAKE_VERSION="3.9")[2])
        self.assertEqual(self.pip_calls(), [])

    def test_the_python_that_an_older_version_needs_is_found_in_path_and_in_pyenv(self) -> None:
        found = self.folder / "pyenv" / "versions" / "3.7.16" / "bin" / "python"
        found.parent.mkdir(parents=True)
        found.write_text(PYTHON.replace(":-3.11}", ":-3.7}"))
        found.chmod(0o700)
        pyenv = str(found.parents[3])
        nowhere = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "CONDA_PREFIX": ""}
        code, _, err = self.run_script("tensorflow-2.0", python="", PYENV_ROOT="/none", **nowhere)
        self.assertEqual(code, 1)
        self.assertIn("tensorflow-2.0 needs Python 3.7, and none was found", err)
        code, out, err = self.run_script("tensorflow-2.0", python="", PYENV_ROOT=pyenv, **nowhere)
        self.assertEqual(code, 0, err)
        self.assertIn("tensorflow-2.0: tensorflow 1.2.3", out)

    def test_no_name_means_all_but_older_versions(self) -> None:
        code, out, err = self.run_script()
        self.assertEqual(code, 0, err)
        names = [line.split(":")[0] for line in out.splitlines()]
        self.assertEqual(names, ["jax", "optuna", "tensorflow", "torch"])

    def test_unknown_names_are_answered_with_those_there_are(self) -> None:
        code, _, err = self.run_script("caffe")
        self.assertEqual(code, 2)
        for name in ("jax", "optuna", "tensorflow", "tensorflow-2.15", "torch"):
            self.assertIn(f" {name}", err)


class Lists(unittest.TestCase):
    def test_every_package_is_pinned_and_hashed(self) -> None:
        lists = sorted((ROOT / "workers/python/locks").glob("*.txt"))
        self.assertEqual(len(lists), 17)
        for file in lists:
            for package in file.read_text().replace("\\\n", " ").splitlines():
                with self.subTest(file.name, package=package[:40]):
                    self.assertRegex(package, r"^[\w.-]+==[\w.+-]+ .*--hash=sha256:[0-9a-f]{64}")


if __name__ == "__main__":
    unittest.main()
