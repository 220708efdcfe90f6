"""scripts/versions_figure.py: which trials are the points of a line."""

import unittest

from scripts.versions_figure import lines_of, version_of


def trial(
    engine: str, seconds: float, mode: str = "graph", api: str = "tf_keras", **other: str
) -> dict:
    row = {"f_engine": engine, "f_model": "mlp-10", "f_mode": mode, "f_api": api, "f_loop": "fit"}
    return {**row, "m_step_time": seconds, **other}


class Lines(unittest.TestCase):
    def test_have_each_version_as_it_comes_in_milliseconds(self) -> None:
        trials = [
            trial("tensorflow@tensorflow-1.15", 0.001, mode="v1-session", api=""),
            trial("tensorflow@tensorflow-1.15", 0.002),  # another mode than it comes with
            trial("tensorflow@tensorflow-2.0", 0.003),
            trial("tensorflow@tensorflow-2.0", 0.004, api="keras"),  # another package
            trial("tensorflow", 0.005, api="keras"),
            trial("tensorflow", 0.006, api="keras", f_model="conv1d-small"),
        ]
        lines = lines_of(trials, "mlp-10")
        self.assertEqual(lines["fit"], {"1.15": 1, "2.0": 3, "today": 5})
        self.assertEqual(lines["predict"], {})

    def test_name_versions_by_their_environments(self) -> None:
        self.assertEqual(version_of("tensorflow@tensorflow-2.11"), "2.11")
        self.assertEqual(version_of("tensorflow"), "today")


if __name__ == "__main__":
    unittest.main()
