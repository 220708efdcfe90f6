"""How engines ask their framework for the peak of a GPU's memory. The frameworks are stand-ins."""

from __future__ import annotations

import importlib
import os
import sys
import types
import unittest
from types import SimpleNamespace
from unittest import mock


def place_of(engine: str, framework: types.ModuleType) -> types.ModuleType:
    """The engine's module `place` beside that framework, none of which stays imported."""
    with mock.patch.dict(sys.modules), mock.patch.dict(os.environ):
        for name in list(sys.modules):
            if name.startswith(f"regatta_worker.engines.{engine}"):
                del sys.modules[name]
        sys.modules[framework.__name__] = framework
        return importlib.import_module(f"regatta_worker.engines.{engine}.place")


def module(name: str, **members: object) -> types.ModuleType:
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


class DeviceMemoryTest(unittest.TestCase):
    def test_torch_counts_what_tensors_take_from_the_begin_on(self) -> None:
        asked = []
        cuda = SimpleNamespace(
            reset_peak_memory_stats=asked.append, max_memory_allocated=lambda device: 512 + device
        )
        torch = module("torch", cuda=cuda, __version__="2.0", device=object, Tensor=object)
        place = place_of("torch", torch)
        place.begin_peak()
        self.assertEqual(asked, [0])
        self.assertEqual(place.peak_bytes(), 512)

    def test_jax_tells_the_peak_of_its_process_or_nothing(self) -> None:
        for stats, told in (
            ({"peak_bytes_in_use": 2048, "bytes_in_use": 1}, 2048),
            ({}, 0),
            (None, 0),
        ):
            gpu = SimpleNamespace(memory_stats=lambda stats=stats: stats)
            jax = module(
                "jax",
                Device=object,
                config=SimpleNamespace(jax_platforms=None),
                local_devices=lambda backend, gpu=gpu: [gpu],
            )
            place = place_of("jax", jax)
            place.begin_peak()
            self.assertEqual(place.peak_bytes(), told)

    def test_tensorflow_tells_the_peak_where_its_version_and_allocator_count(self) -> None:
        def refuse(device: str) -> None:
            raise ValueError(f"no stats of {device}")

        reset = mock.Mock()
        counting = {"reset_memory_stats": reset, "get_memory_info": lambda _: {"peak": 4096}}
        refusing = {"reset_memory_stats": refuse, "get_memory_info": refuse}
        for experimental, told in ((counting, 4096), (refusing, 0), ({}, 0)):
            config = SimpleNamespace(experimental=SimpleNamespace(**experimental))
            compat = SimpleNamespace(v1=SimpleNamespace())
            tensorflow = module("tensorflow", config=config, compat=compat, __version__="2.15.0")
            place = place_of("tensorflow", tensorflow)
            place.begin_peak()
            self.assertEqual(place.peak_bytes(), told)
        reset.assert_called_once_with("GPU:0")


if __name__ == "__main__":
    unittest.main()
