"""The version of an installed TensorFlow, and the option for XLA's cache that only some versions know."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from regatta_worker.engines.tensorflow import installed
from regatta_worker.engines.tensorflow.installed import installed_version, keep_compiled


class Installed(unittest.TestCase):
    def folder(self, *records: str) -> str:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        for record in records:
            (Path(scratch.name) / record).mkdir()
        return scratch.name

    def test_the_version_is_told_by_the_packages_record(self) -> None:
        beside = "tensorflow_estimator-2.9.0.dist-info"
        for record, version in (
            ("tensorflow-1.15.5.dist-info", (1, 15)),
            ("tensorflow_cpu-2.11.0.dist-info", (2, 11)),
            ("tensorflow-2.2.0-py3.7.egg-info", (2, 2)),
        ):
            self.assertEqual(installed_version(["", self.folder(beside, record)]), version)
        self.assertIsNone(installed_version([self.folder(beside), "/nonexistent"]))

    def options_of(self, version: tuple[int, int] | None, **variables: str) -> str | None:
        with mock.patch.object(installed, "installed_version", lambda folders: version):
            keep_compiled(variables)
        return variables.get("TF_XLA_FLAGS")

    def test_only_a_version_that_knows_the_option_is_given_it(self) -> None:
        kept = "--tf_xla_persistent_cache_directory=/run/cache"
        self.assertEqual(self.options_of((2, 21), REGATTA_XLA_CACHE="/run/cache"), kept)
        self.assertIsNone(self.options_of((2, 2), REGATTA_XLA_CACHE="/run/cache"))
        self.assertIsNone(self.options_of(None, REGATTA_XLA_CACHE="/run/cache"))
        self.assertIsNone(self.options_of((2, 21)))

    def test_the_shells_own_options_stay(self) -> None:
        given = {"REGATTA_XLA_CACHE": "/run/cache", "TF_XLA_FLAGS": "--a"}
        self.assertEqual(
            self.options_of((2, 21), **given), "--a --tf_xla_persistent_cache_directory=/run/cache"
        )
        self.assertEqual(self.options_of((1, 15), **given), "--a")


if __name__ == "__main__":
    unittest.main()
