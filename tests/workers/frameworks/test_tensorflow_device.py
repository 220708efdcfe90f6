"""`device: cuda` in TensorFlow: what it is shown, what it is told, and that whoever measures waits.

There is no GPU here, and no stand-in that TensorFlow would prefer to the processor: what it computes runs on that.
"""

from __future__ import annotations

import contextlib
import unittest
from collections.abc import Iterator
from typing import Any
from unittest import mock

import fake_feed
import tensorflow as tf
from engine_cases import EngineTest
from regatta_worker import engines, fed
from regatta_worker.engines.tensorflow import place
from regatta_worker.errors import Unsupported
from regatta_worker.loop import stamp_steps

GPUS = ["first", "second"]
HAS_KERAS_3 = tuple(int(part) for part in tf.__version__.split(".")[:2]) > (2, 15)
API = "keras" if HAS_KERAS_3 else "tf_keras"
OWN = {"map_threads": "1", "prefetch": "auto", "mode": "graph", "api": API}


class Device:
    """GPUs that TensorFlow is shown; once it has computed, that is settled."""

    def __init__(self) -> None:
        self.visible, self.settled, self.waits = list(GPUS), False, 0
        self.tf32: list[bool] = []

    def show(self, gpus: list[Any], kind: str) -> None:
        assert kind == "GPU"
        if self.settled:
            raise RuntimeError("Visible devices cannot be modified after being initialized")
        self.visible = list(gpus)

    def wait(self) -> None:
        self.waits += 1


@contextlib.contextmanager
def stand_in() -> Iterator[Device]:
    device, config = Device(), tf.config
    with (
        mock.patch.object(tf.test, "is_built_with_cuda", lambda: True),
        mock.patch.object(config, "list_physical_devices", lambda kind=None: list(GPUS)),
        mock.patch.object(config, "get_visible_devices", lambda kind: list(device.visible)),
        mock.patch.object(config, "set_visible_devices", device.show),
        mock.patch.object(
            config.experimental, "enable_tensor_float_32_execution", device.tf32.append
        ),
        mock.patch.object(tf.test.experimental, "sync_devices", device.wait),
    ):
        yield device


class TensorflowDevice(EngineTest):
    engine = "tensorflow"
    own = {**OWN, "device": "cuda"}

    def setUp(self) -> None:
        standing = stand_in()
        self.gpu = standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)

    def test_a_trial_is_shown_one_gpu_without_tf32(self) -> None:
        self.check("dense")
        self.assertEqual(self.gpu.visible, GPUS[:1])
        self.assertEqual(set(self.gpu.tf32), {False})

    def test_a_trial_of_the_cpu_is_shown_none(self) -> None:
        self.trial("dense", device="cpu")
        self.assertEqual(self.gpu.visible, [])

    def test_a_process_keeps_to_its_first_device(self) -> None:
        self.trial("dense")
        self.gpu.settled = True
        self.trial("dense")
        with self.assertRaisesRegex(RuntimeError, "chose its devices for another trial"):
            self.trial("dense", device="cpu")

    def test_a_slice_ends_when_its_steps_are_done(self) -> None:
        for loop in ("custom", "train_on_batch"):
            trial = self.trial("dense", loop=loop)
            for each, waits in ((False, 1), (True, 4)):
                self.gpu.waits = 0
                stamp_steps(trial.step, trial.wait, [2, 2, 2, 2], each)
                self.assertEqual(self.gpu.waits, waits)

    def test_a_cpu_is_not_waited_for(self) -> None:
        trial = self.trial("dense", device="cpu")
        trial.step()
        trial.wait()
        self.assertEqual(self.gpu.waits, 0)

    def test_a_loaders_place_is_given_back_when_its_step_is_done(self) -> None:
        for device, waits in (("cuda", 3), ("cpu", 0)):
            with mock.patch.object(fed, "open_feed", fake_feed.fake_open):
                trial = self.trial("dense", input="loader", device=device)
                self.gpu.waits = 0
                for _ in range(3):
                    trial.step()
                self.assertEqual(self.gpu.waits, waits, device)
                self.check("dense", input="loader", device=device)

    def test_products_and_derivatives(self) -> None:
        self.check_small_models(mode="graph", device="cuda")

    def test_what_tensorflow_reaches_is_told(self) -> None:
        self.assertEqual(engines.load("tensorflow").describe().devices, ["cpu", "cuda"])
        with mock.patch.object(tf.test, "is_built_with_cuda", lambda: False):
            self.assertEqual(engines.load("tensorflow").describe().devices, ["cpu"])


class OnACpu(EngineTest):
    engine = "tensorflow"
    own = {**OWN, "device": "cuda"}

    def test_a_trial_of_a_gpu_is_refused(self) -> None:
        self.assertEqual(place.devices_here(), ["cpu"])
        with self.assertRaisesRegex(Unsupported, "tensorflow reaches no GPU here"):
            self.trial("dense")


if __name__ == "__main__":
    unittest.main()
