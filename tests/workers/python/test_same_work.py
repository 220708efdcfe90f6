from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

import numpy as np
from regatta_worker.same_work import SHAKEN, SameWork, Shaking, count_and_norm


class Arm(SameWork):
    def __init__(self, trains: bool) -> None:
        self.trains = trains
        self.twins: list[Any] = []

    def twin(self, compiled: bool = True) -> Any:
        made = mock.Mock()
        made.number_type.return_value = None
        made.losses.return_value = [0.5]
        made.step.return_value = np.ones((1, 1))
        made.weights.side_effect = lambda: {"w": np.ones(2)}
        made.gradients.return_value = {"w": np.ones(2)}
        made.probe.return_value = np.ones(2)
        self.twins.append(made)
        return made


class Shakings(unittest.TestCase):
    def test_move_each_weight_by_the_same_share(self) -> None:
        weights = np.linspace(-1, 1, 100, dtype=np.float32)
        moved = Shaking(1, 2.0**-20)(weights)
        np.testing.assert_allclose(np.abs(moved / weights - 1), 2.0**-20, rtol=1e-6)

    def test_differ_between_draws_and_are_the_same_in_each_process(self) -> None:
        weights = np.ones(100)
        np.testing.assert_array_equal(Shaking(1, 0.5)(weights), Shaking(1, 0.5)(weights))
        self.assertFalse(np.array_equal(Shaking(1, 0.5)(weights), Shaking(2, 0.5)(weights)))


class TwinsEnd(unittest.TestCase):
    def test_a_check_ends_what_its_twin_started(self) -> None:
        for trains in (True, False):
            for look in (SameWork.check, SameWork.examine):
                with self.subTest(look.__name__, trains=trains):
                    arm = Arm(trains)
                    look(arm, 2)
                    for twin in arm.twins:
                        twin.close.assert_called_once()

    def test_weights_are_moved_before_anything_is_computed(self) -> None:
        arm = Arm(trains=True)
        arm.examine(2, SHAKEN)
        names = [call[0] for call in arm.twins[0].method_calls]
        self.assertLess(names.index("replace_weights"), names.index("gradients"))

    def test_gradients_are_those_of_the_initial_weights(self) -> None:
        arm = Arm(trains=True)
        arm.examine(2)
        names = [call[0] for call in arm.twins[0].method_calls]
        self.assertEqual(names.count("gradients"), 2)
        self.assertNotIn("step", names[: len(names) - names[::-1].index("gradients")])

    def test_weights_of_a_users_own_model_are_counted_and_measured(self) -> None:
        arm = Arm(trains=True)
        self.assertIsNone(arm.examine(1).own_weights)
        self.assertEqual(
            count_and_norm({"a": np.full((2, 2), 1.5), "b": np.full(7, 1)}),
            {"count": 11, "norm": 4.0},
        )
        self.assertIsNone(count_and_norm({"a": np.array([np.nan])}))

    def test_so_does_one_that_fails(self) -> None:
        for look in (SameWork.check, SameWork.examine):
            arm = Arm(trains=True)
            with mock.patch.object(Arm, "twin", lambda arm, compiled: failing(arm)):
                with self.assertRaises(RuntimeError):
                    look(arm, 2)
            arm.twins[0].close.assert_called_once()


def failing(arm: Arm) -> Any:
    twin = mock.Mock()
    twin.weights.return_value = {"w": np.ones(2)}
    twin.gradients.return_value = {"w": np.ones(2)}
    twin.losses.side_effect = RuntimeError("no")
    arm.twins.append(twin)
    return twin


if __name__ == "__main__":
    unittest.main()
