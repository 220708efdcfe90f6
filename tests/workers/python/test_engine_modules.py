"""Every engine's modules can be imported, each first and alone, with frameworks that are empty shells."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types
import unittest
from pathlib import Path
from typing import Any

import regatta_worker
from regatta_worker import engines

FOLDER = Path(regatta_worker.__file__).parent / "engines"
SHELLS = ("torch", "jax", "tensorflow", "keras")


class _Kind(type):
    """Classes whose attributes are such classes again, and whose calls give one back."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return shell(name)

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        return arguments[0] if arguments and callable(arguments[0]) else shell("Result")


def shell(name: str) -> Any:
    return _Kind(name, (), {})


class _Module(types.ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "1.0"
        if name.startswith("__"):
            raise AttributeError(name)
        return shell(name)


class _Finder:
    """Finds an empty shell for every module of a framework."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name.split(".")[0] not in SHELLS:
            return None
        return importlib.machinery.ModuleSpec(name, _Finder(), is_package=True)

    @staticmethod
    def create_module(spec: Any) -> types.ModuleType:
        return _Module(spec.name)

    @staticmethod
    def exec_module(module: types.ModuleType) -> None:
        """Nothing to run."""


def modules() -> list[str]:
    paths = sorted(path.relative_to(FOLDER) for path in FOLDER.glob("*/*.py"))
    names = [".".join(path.with_suffix("").parts).replace(".__init__", "") for path in paths]
    return [f"regatta_worker.engines.{name}" for name in names]


class EngineModules(unittest.TestCase):
    def test_every_engine_has_a_folder(self) -> None:
        folders = {module.split(".")[2] for module in modules()}
        self.assertEqual(folders, set(engines.NAMES))

    def test_each_module_is_imported_first(self) -> None:
        for module in modules():
            if ".jax." in module and sys.version_info < (3, 10):
                continue  # JAX needs that Python itself
            with self.subTest(module=module):
                command = [sys.executable, "-B", __file__, module]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    sys.meta_path.insert(0, _Finder())
    imported = importlib.import_module(sys.argv[1])
    if sys.argv[1].endswith(".engine"):
        assert callable(imported.describe) and callable(imported.prepare)
