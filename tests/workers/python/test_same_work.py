from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

import numpy as np
from regatta_worker.same_work import SameWork


class Arm(SameWork):
    def __init__(self, trains: bool) -> None:
        self.trains = trains
        self.twins: list[Any] = []

    def twin(self) -> Any:
        made = mock.Mock()
        made.losses.return_value = [0.5]
        made.step.return_value = np.ones((1, 1))
        made.weights.side_effect = lambda: {"w": np.ones(2)}
        made.gradients.return_value = {"w": np.ones(2)}
        made.probe.return_value = np.ones(2)
        self.twins.append(made)
        return made


class TwinsEnd(unittest.TestCase):
    def test_a_check_ends_what_its_twin_started(self) -> None:
        for trains in (True, False):
            for look in (SameWork.check, SameWork.examine):
                with self.subTest(look.__name__, trains=trains):
                    arm = Arm(trains)
                    look(arm, 2)
                    for twin in arm.twins:
                        twin.close.assert_called_once()

    def test_so_does_one_that_fails(self) -> None:
        for look in (SameWork.check, SameWork.examine):
            arm = Arm(trains=True)
            with mock.patch.object(Arm, "twin", lambda arm: failing(arm)):
                with self.assertRaises(RuntimeError):
                    look(arm, 2)
            arm.twins[0].close.assert_called_once()


def failing(arm: Arm) -> Any:
    twin = mock.Mock()
    twin.weights.return_value = {"w": np.ones(2)}
    twin.losses.side_effect = RuntimeError("no")
    arm.twins.append(twin)
    return twin


if __name__ == "__main__":
    unittest.main()
