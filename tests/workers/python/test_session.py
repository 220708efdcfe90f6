from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from context import Peer, batches_of, network, weights_of, write_safetensors
from regatta.wire import SAMPLE
from regatta_worker import engines
from regatta_worker.arm import Arm
from regatta_worker.loop import group_sizes

MODEL = network((4, 3, 1), ("relu", "none"), "mse", {"sgd": {"learning_rate": 0.01}})


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def arm_that(**has: object) -> mock.Mock:
    """An arm that only counts its calls, with the defaults of an Arm but for what it `has`."""
    arm = mock.Mock(spec=Arm, **{"steps_per_call": 1, "member": "", **has})
    arm.input_facts.return_value = {}
    return arm


class SessionTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.weights = write_safetensors(Path(folder) / "weights", weights_of(MODEL))
        self.batches = write_safetensors(Path(folder) / "batches", batches_of(MODEL))
        self.peer = Peer()
        self.addCleanup(self.peer.close)

    def prepare(self, arm: int = 0, **changes: object) -> dict:
        request = {
            "arm": arm,
            "parameters": {"engine": "numpy", "work": "train", "mode": None},
            "model": MODEL,
            "weights_path": self.weights,
            "batches_path": self.batches,
        }
        return self.peer.ask("prepare", **{**request, **changes})[0]

    def slice(self, **changes: object) -> tuple[dict, bytes]:
        request = {
            "arm": 0,
            "phase": "steady",
            "slice": 4,
            "reentry_steps": 0,
            "steps": 1,
            "group": 1,
        }
        return self.peer.ask("slice", **{**request, **changes})

    def test_what_a_trial_tells_of_its_input_goes_with_the_last_piece(self) -> None:
        self.prepare()
        self.assertEqual(self.slice()[0], {"type": "samples", "arm": 0, "last": True, "bytes": 32})
        facts = {"input_bound_by": "collate", "input_wait": 0.25, "input_read": float("nan")}
        arm = arm_that()
        arm.input_facts.return_value = facts
        with mock.patch.object(engines.load("numpy"), "prepare", lambda *_: arm):
            self.prepare()
        headers = [self.slice(steps=10_000)[0]]
        while not headers[-1]["last"]:
            headers.append(self.peer.link.receive()[0])
        self.assertGreater(len(headers), 1)
        self.assertEqual(set(headers[0]), {"type", "arm", "last", "bytes"})
        told = {name: headers[-1][name] for name in facts}
        self.assertEqual(told, {**facts, "input_read": None})
        arm.input_facts.assert_called_once()

    def test_the_peak_of_device_memory_counts_from_the_first_steady_slice_on(self) -> None:
        place = mock.Mock(**{"peak_bytes.side_effect": [4096, 8192, 0]})
        on_device = {"engine": "numpy", "work": "train", "mode": None, "device": "cuda"}
        with mock.patch.object(
            engines.load("numpy"), "prepare", lambda *_: arm_that()
        ), mock.patch.object(engines, "place", lambda _: place):
            self.prepare(parameters=on_device)
        self.assertNotIn("device_peak_bytes", self.slice(phase="warmup")[0])
        place.begin_peak.assert_not_called()
        told = [self.slice()[0].get("device_peak_bytes") for _ in range(3)]
        self.assertEqual(told, [4096, 8192, None])
        place.begin_peak.assert_called_once()
        self.prepare()
        self.assertNotIn("device_peak_bytes", self.slice()[0])

    def test_engines_forget_what_they_keep_when_the_last_arm_goes(self) -> None:
        forget = mock.Mock()
        with mock.patch.object(engines.load("numpy"), "forget_all", forget, create=True):
            for arm in (0, 1):
                self.prepare(arm)
            self.peer.ask("release", arm=0)
            self.assertEqual(forget.call_count, 0)
            self.peer.ask("release", arm=1)
            self.assertEqual(forget.call_count, 1)

    def test_memory_that_an_arm_held_goes_back_when_it_is_released(self) -> None:
        self.prepare()
        held = [b"1" * 60_000 for _ in range(2000)]  # too small to be mapped each by itself
        # Keeps the memory before it from being an end that the allocator cuts off.
        behind = b"2" * 60_000
        before = resident_bytes()
        held.clear()
        self.peer.ask("release", arm=0)
        self.assertLess(resident_bytes(), before - 100_000_000)
        self.assertEqual(len(behind), 60_000)

    def test_a_call_may_take_several_steps_and_release_ends_what_the_arm_started(self) -> None:
        arm = arm_that(steps_per_call=5)
        with mock.patch.object(engines.load("numpy"), "prepare", lambda *_: arm):
            self.prepare()
        reply, payload = self.slice(reentry_steps=5, steps=20, group=10)
        self.assertEqual(reply["type"], "samples")
        counts = [record[4] for record in SAMPLE.iter_unpack(payload)]
        self.assertEqual(counts, [5, 10, 10])
        self.assertEqual(arm.step.call_count, 5)
        reply, _ = self.slice(steps=7, group=5)
        self.assertIn("no whole calls of 5 steps", reply["message"])
        arm.close.assert_not_called()
        self.peer.ask("release", arm=0)
        arm.close.assert_called_once()

    def test_an_allocators_refusal_is_told_from_other_errors(self) -> None:
        refusals = (
            MemoryError(),
            RuntimeError(
                "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4 bytes"
            ),
            RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 4 bytes"),
            RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
            RuntimeError("INTERNAL: failed to allocate: CUDA_ERROR_OUT_OF_MEMORY"),
            RuntimeError(
                "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
            ),
        )
        for error in (*refusals, RuntimeError("no such kernel")):
            prepare = mock.Mock(side_effect=error)
            with mock.patch.object(engines.load("numpy"), "prepare", prepare):
                reply = self.prepare()
            expected = "out_of_memory" if error in refusals else "reported"
            self.assertEqual((reply["type"], reply["kind"]), ("error", expected), error)

    def test_a_device_that_failed_ends_the_process_and_is_worth_another_try(self) -> None:
        for text in (
            "CUDA error: an illegal memory access was encountered",
            "INTERNAL: CUDA_ERROR_ILLEGAL_ADDRESS: could not synchronize",
            "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
        ):
            prepare = mock.Mock(side_effect=RuntimeError(text))
            with mock.patch.object(engines.load("numpy"), "prepare", prepare):
                reply = self.prepare()
            self.assertEqual((reply["kind"], reply["final"]), ("device", False), text)
            self.assertIn(text, reply["message"])

    def test_a_feed_that_was_killed_is_worth_another_try(self) -> None:
        killed, refused = RuntimeError("killed"), RuntimeError("refused")
        killed.is_refused, refused.is_refused = False, True  # as regatta.feeder's FeedError
        for error, final in ((killed, False), (refused, True), (RuntimeError("other"), True)):
            prepare = mock.Mock(side_effect=error)
            with mock.patch.object(engines.load("numpy"), "prepare", prepare):
                self.assertEqual(self.prepare()["final"], final, error)

    def test_hello(self) -> None:
        ready, _ = self.peer.ask("hello", version=1)
        self.assertEqual((ready["type"], ready["engine"], ready["version"]), ("ready", "numpy", 1))
        self.assertEqual(ready["engine_version"], np.__version__)

    def test_interventions_are_those_of_the_engine(self) -> None:
        ready, _ = self.peer.ask("hello", version=1)
        self.assertEqual(ready["interventions"], ["input_resident"])
        for none in (None, ""):
            self.assertEqual(self.prepare(intervention=none)["type"], "prepared")
        self.assertEqual(self.prepare(intervention="input_resident")["type"], "prepared")
        error = self.prepare(intervention="kernels_emptied")
        self.assertEqual((error["type"], error["kind"]), ("error", "unsupported"))

    def test_ranks_are_those_of_engines_that_have_them(self) -> None:
        error = self.prepare(rank=1)
        self.assertEqual((error["type"], error["kind"]), ("error", "unsupported"))
        arm = arm_that(member="/proc/7/fd/3")
        ranks = mock.patch.object(engines, "WITH_RANKS", ("numpy",))
        prepare = mock.patch.object(engines.load("numpy"), "prepare", lambda *_, rank: arm)
        with ranks, prepare:
            self.assertEqual(self.prepare(rank=1)["member"], "/proc/7/fd/3")
        members = ["/proc/6/fd/3", "/proc/7/fd/3"]
        told, _ = self.peer.ask("join", arm=0, members=members, stop="", patience_seconds=2.5)
        self.assertEqual(told["type"], "joined")
        arm.join.assert_called_once_with(members, 2.5)

    def test_each_sample_is_waited_for_where_calls_are_compared(self) -> None:
        arm = arm_that()
        with mock.patch.object(engines.load("numpy"), "prepare", lambda *_: arm):
            self.prepare()
        self.slice(steps=6, group=2)
        self.assertEqual(arm.wait.call_count, 1)
        _, payload = self.slice(steps=6, reentry_steps=2, group=2, wait_each=True)
        self.assertEqual(arm.wait.call_count, 1 + len(list(SAMPLE.iter_unpack(payload))))

    def test_another_version_is_unsupported(self) -> None:
        error, _ = self.peer.ask("hello", version=2)
        self.assertEqual((error["type"], error["kind"]), ("error", "unsupported"))

    def test_a_slice_is_stamped_in_groups_with_reentry_first(self) -> None:
        self.assertEqual(self.prepare(2)["type"], "prepared")
        before = time.monotonic()
        header, payload = self.slice(arm=2, reentry_steps=3, steps=5, group=2)
        after = time.monotonic()
        self.assertTrue(header["last"])
        records = list(SAMPLE.iter_unpack(payload))
        self.assertEqual(
            [r[:7] for r in records[:2]], [(4, 2, 2, 0, 2, 0, 0), (4, 2, 2, 0, 1, 0, 0)]
        )
        self.assertEqual([(r[2], r[4]) for r in records[2:]], [(3, 2), (3, 2), (3, 1)])
        self.assertGreaterEqual(records[0][7], before)
        self.assertLessEqual(records[-1][7] + records[-1][8], after)

    def test_many_samples_come_in_pieces(self) -> None:
        self.prepare()
        header, payload = self.slice(steps=16_500)
        sizes = [len(payload)]
        while not header["last"]:
            header, payload = self.peer.link.receive()
            sizes.append(len(payload))
        self.assertEqual(sum(sizes), 16_500 * SAMPLE.size)
        self.assertEqual(max(sizes), 256 << 10)
        self.assertEqual(len(sizes), 3)

    def test_an_empty_slice_is_answered(self) -> None:
        self.prepare()
        header, payload = self.slice(steps=0)
        self.assertEqual((header["type"], header["last"], payload), ("samples", True, b""))

    def test_check_and_release(self) -> None:
        self.prepare()
        checked, _ = self.peer.ask("check", arm=0, steps=3)
        self.assertEqual([len(step) for step in checked["losses"]], [5, 5, 5])
        self.assertEqual(self.peer.ask("release", arm=0)[0], {"type": "released", "arm": 0})
        self.assertIn("not prepared", self.peer.ask("check", arm=0, steps=3)[0]["message"])

    def test_a_diverged_loss_is_null(self) -> None:
        wild = {**MODEL, "optimizer": {"sgd": {"learning_rate": 1e30}}}
        self.assertEqual(self.prepare(model=wild)["type"], "prepared")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # overflow is the point
            checked, _ = self.peer.ask("check", arm=0, steps=4)
        self.assertIsNone(checked["losses"][3][0])

    def test_bad_requests_are_answered_and_survived(self) -> None:
        conv = {**MODEL, "layers": [{"conv1d": 3, "kernel": 2}]}
        self.assertEqual(self.prepare(model=conv)["kind"], "unsupported")
        graph = {"engine": "numpy", "mode": "graph"}
        self.assertEqual(self.prepare(parameters=graph)["kind"], "unsupported")
        other = {"engine": "caffe@env"}
        self.assertIn("no engine 'caffe'", self.prepare(parameters=other)["message"])
        gone = self.prepare(weights_path="/nowhere")
        self.assertEqual((gone["kind"], gone["arm"]), ("reported", 0))
        Path(self.weights).write_bytes(b"damaged")
        self.assertIn("is damaged", self.prepare()["message"])
        self.assertIn("no request", self.peer.ask("leave", arm=0)[0]["message"])
        self.assertIn(
            "'steps'",
            self.peer.ask("slice", arm=0, phase="steady", slice=0, reentry_steps=0)[0]["message"],
        )
        self.assertEqual(self.peer.ask("hello", version=1)[0]["type"], "ready")

    def test_an_engine_with_an_environment_is_the_same_engine(self) -> None:
        self.assertEqual(self.prepare(parameters={"engine": "numpy@mine"})["type"], "prepared")

    def test_the_end_of_the_link_is_no_error(self) -> None:
        self.assertEqual(self.peer.close(), 0)

    def test_garbage_ends_the_session(self) -> None:
        os.write(self.peer.socket.fileno(), b"garbage\n")
        self.assertEqual(self.peer.link.receive()[0]["type"], "error")
        self.assertEqual(self.peer.close(), 1)


class Loop(unittest.TestCase):
    def test_groups(self) -> None:
        self.assertEqual(group_sizes(7, 3), [3, 3, 1])
        self.assertEqual(group_sizes(6, 3), [3, 3])
        self.assertEqual(group_sizes(0, 3), [])
        for steps, group in ((1, 0), (-1, 1), (1 << 40, 1)):
            with self.assertRaises(ValueError):
                group_sizes(steps, group)


if __name__ == "__main__":
    unittest.main()
