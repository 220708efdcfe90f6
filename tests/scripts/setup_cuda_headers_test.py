"""scripts/setup-cuda-headers.sh, with Python's venv and pip played by a small script, and wheels of empty headers."""

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = {
    "nvidia_cuda_runtime-13.0.96.whl": ["cu13/include/cuda_runtime.h", "cu13/include/cuda_bf16.h"],
    "nvidia_cuda_crt-13.0.88.whl": ["cu13/include/crt/host_defines.h"],
    "nvidia_cuda_cccl-13.0.85.whl": ["cu13/include/cccl/nv/target"],
    "nvidia_cublas-13.0.2.14.whl": ["cu13/include/cublasLt.h", "cu13/lib/libcublasLt.so.13"],
    "nvidia_cudnn_jit_cu13-9.19.0.56.whl": ["cudnn_jit/include/cudnn_graph.h"],
}
PYTHON = f"""#!/usr/bin/env bash
case "$*" in
  *"-m venv "*) mkdir -p "${{@: -1}}/bin"; cp "$0" "${{@: -1}}/bin/python" ;;
  *"-m pip download "*)
    echo "$*" >>"$FAKE_LOG"
    while [[ $1 != --dest ]]; do shift; done
    mkdir -p "$2"; cp "$FAKE_WHEELS"/*.whl "$2"; exit "${{FAKE_PIP_EXIT:-0}}" ;;
  *) exec {sys.executable} "$@" ;;
esac
"""


class SetupCudaHeaders(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        for wheel, names in HEADERS.items():
            with zipfile.ZipFile(self.wheels / wheel, "w") as archive:
                for name in names:
                    archive.writestr(f"nvidia/{name}", "")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        (self.bin / "python3").write_text(PYTHON)
        (self.bin / "python3").chmod(0o700)
        self.log = self.folder / "log"
        self.log.touch()
        self.toolkit = self.folder / "toolkit"
        self.cache = self.folder / "cache/regatta/cuda-headers"

    def setup_headers(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "CUDA_HOME": str(self.toolkit),
            "FAKE_LOG": str(self.log),
            "FAKE_WHEELS": str(self.wheels),
            **variables,
        }
        script = ["bash", str(ROOT / "scripts/setup-cuda-headers.sh"), *arguments]
        return subprocess.run(script, env=environment, capture_output=True, text=True)

    def downloads(self) -> list[str]:
        return self.log.read_text().splitlines()

    def put_toolkit(self) -> None:
        for names in HEADERS.values():
            for name in names:
                header = self.toolkit / name.partition("/")[2].replace("cccl/", "")
                header.parent.mkdir(parents=True, exist_ok=True)
                header.touch()

    def test_a_whole_toolkit_is_enough(self) -> None:
        self.put_toolkit()
        done = self.setup_headers()
        self.assertEqual((done.returncode, done.stderr, self.downloads()), (0, "", []))
        self.assertFalse(self.cache.exists())

    def test_a_toolkit_without_cudnn_is_not(self) -> None:
        self.put_toolkit()
        (self.toolkit / "include/cudnn_graph.h").unlink()
        self.assertEqual(self.setup_headers().returncode, 0)
        self.assertEqual(len(self.downloads()), 1)

    def test_headers_are_unpacked_once(self) -> None:
        self.assertEqual(self.setup_headers().returncode, 0)
        self.assertEqual(self.setup_headers().returncode, 0)
        self.assertEqual(len(self.downloads()), 1)
        self.assertIn("--require-hashes", self.downloads()[0])
        self.assertTrue((self.cache / "include/nv/target").exists())
        self.assertTrue((self.cache / "include/crt/host_defines.h").exists())
        self.assertFalse(list(self.cache.rglob("*.so*")))
        self.assertEqual([path.name for path in self.cache.parent.iterdir()], ["cuda-headers"])

    def test_other_versions_replace_those_that_are_there(self) -> None:
        self.setup_headers()
        (self.cache / "requirements.txt").write_text("older\n")
        self.assertEqual(self.setup_headers().returncode, 0)
        self.assertEqual(len(self.downloads()), 2)

    def test_a_wheelhouse_needs_no_network(self) -> None:
        self.assertEqual(self.setup_headers("--wheelhouse", str(self.wheels)).returncode, 0)
        self.assertIn(f"--no-index --find-links {self.wheels}", self.downloads()[0])

    def test_a_failing_download_leaves_what_was_there(self) -> None:
        done = self.setup_headers(FAKE_PIP_EXIT="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--wheelhouse", done.stderr)
        self.assertEqual(list(self.cache.parent.iterdir()), [])

    def test_packages_without_a_header_are_told(self) -> None:
        (self.wheels / "nvidia_cublas-13.0.2.14.whl").unlink()
        done = self.setup_headers()
        self.assertEqual(done.returncode, 1)
        self.assertIn("do not hold every header", done.stderr)

    def test_cmake_looks_for_the_same_headers(self) -> None:
        script = (ROOT / "scripts/setup-cuda-headers.sh").read_text()
        listed = script.partition("for header in ")[2].partition(";")[0]
        self.assertIn(
            f"IN ITEMS {listed})", (ROOT / "tests/support/cuda/CMakeLists.txt").read_text()
        )


if __name__ == "__main__":
    unittest.main()
