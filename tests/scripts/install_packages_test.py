"""scripts/install-packages.sh, with dpkg-query, apt-get, sudo and id played by small scripts."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = [
    line.strip()
    for line in (ROOT / "scripts/packages-build.txt").read_text().split("\n")
    if line.strip() and not line.startswith("#")
]


class InstallPackages(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.toolkit = (
            self.folder / "toolkit"
        )  # with all headers that setup-cuda-headers.sh looks for
        for header in (
            "cuda_runtime.h crt/host_defines.h cuda_bf16.h nv/target cublasLt.h cudnn_graph.h"
        ).split():
            (self.toolkit / "include" / header).parent.mkdir(parents=True, exist_ok=True)
            (self.toolkit / "include" / header).touch()
        for tool in ("bash", "sed", "dirname", "env", "grep"):
            found = subprocess.run(["which", tool], capture_output=True, text=True, check=True)
            (self.bin / tool).symlink_to(found.stdout.strip())

    def fake(self, name: str, body: str) -> None:
        file = self.bin / name
        file.write_text(f"#!{self.bin}/bash\n{body}\n")
        file.chmod(0o755)

    def machine(self, missing: list[str], user: int, sudo: bool, apt_fails: bool = False) -> None:
        """A Debian-like machine on which `missing` are not installed."""
        (self.folder / "missing").write_text("\n".join(missing) + "\n")
        not_there = f'grep -qx -- "$3" {self.folder}/missing'
        self.fake(
            "dpkg-query", f"if {not_there}; then printf not-installed; else printf installed; fi"
        )
        log = f'echo "apt-get $*" >> {self.folder}/log'
        self.fake("apt-get", f'{log}; [[ "$*" != *install* ]] || exit {int(apt_fails)}')
        self.fake("id", f"echo {user}")
        if sudo:
            self.fake("sudo", f'echo sudo >> {self.folder}/log; exec "$@"')

    def install(self, *lists: str) -> subprocess.CompletedProcess[str]:
        command = [self.bin / "bash", ROOT / "scripts/install-packages.sh", *lists]
        environment = {"PATH": str(self.bin), "CUDA_HOME": str(self.toolkit)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=os.sep)

    def log(self) -> list[str]:
        file = self.folder / "log"
        return file.read_text().splitlines() if file.exists() else []

    def test_nothing_missing_runs_nothing(self) -> None:
        self.machine(missing=[], user=1000, sudo=False)
        self.assertEqual(self.install("build").returncode, 0)
        self.assertEqual(self.log(), [])

    def test_root_installs_what_is_missing_only(self) -> None:
        self.machine(missing=["cmake", "libfmt-dev"], user=0, sudo=False)
        self.assertEqual(self.install("build").returncode, 0)
        update, install = self.log()
        self.assertTrue(update.endswith(" update"))
        self.assertTrue(
            install.endswith("install -y --no-install-recommends cmake libfmt-dev"), install
        )

    def test_user_installs_with_sudo(self) -> None:
        self.machine(missing=["cmake"], user=1000, sudo=True)
        self.assertEqual(self.install("build", "test").returncode, 0)
        self.assertEqual([line for line in self.log() if line == "sudo"], ["sudo", "sudo"])

    def test_the_tests_want_headers_too(self) -> None:
        self.machine(missing=[], user=0, sudo=False)
        (self.toolkit / "include/cublasLt.h").unlink()
        self.assertEqual(self.install("build").returncode, 0)
        done = self.install("test")  # cannot make its folder: there is no mkdir here
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("setup-cuda-headers.sh", done.stderr)

    def test_user_without_sudo_is_told_what_is_missing(self) -> None:
        self.machine(missing=["cmake", "g++"], user=1000, sudo=False)
        done = self.install("build")
        self.assertEqual((done.returncode, self.log()), (1, []))
        self.assertIn("no sudo", done.stderr)
        self.assertIn("  cmake\n  g++\n", done.stderr)

    def test_other_systems_are_told_everything(self) -> None:
        done = self.install("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no Debian-like system", done.stderr)
        for package in BUILD:
            self.assertIn(f"  {package}\n", done.stderr)

    def test_a_failing_apt_is_a_failure(self) -> None:
        self.machine(missing=["cmake"], user=0, sudo=False, apt_fails=True)
        done = self.install("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install failed", done.stderr)

    def test_unknown_list(self) -> None:
        self.machine(missing=[], user=0, sudo=False)
        done = self.install("bild")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no list 'bild'", done.stderr)


if __name__ == "__main__":
    unittest.main()
