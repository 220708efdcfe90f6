"""The digits with rows, pixels and classes in another order: for networks of dense layers the same problem with other luck.

Seeds of a search are the same in every run of a sweep. With another order of the rows they draw another split, other batches; with
another order of pixels and classes other initial weights. So searches on several draws are independent repetitions of one search.
A draw has 1400 rows to train on and 350 to test on, the first of the digits' own test part: with "order": "time" the last fifth is the test part.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from regatta_worker import safetensors

from bench.trainings import JSON, Trial, write_inputs

TRAINING_ROWS, TEST_ROWS, PIXELS, CLASSES = 1400, 350, 64, 10


class Digits:
    def __init__(self, build: Path, trial: Trial, folder: Path) -> None:
        self.build, self.trial, self.folder = build, trial, folder
        file = folder / "digits.safetensors"
        write_inputs(build, trial, ["--data-set", str(file)])
        rows = safetensors.mapped(str(file))
        self.x = np.concatenate([rows["x"], rows["test_x"][:TEST_ROWS]])
        self.y = np.concatenate([rows["y"], rows["test_y"][:TEST_ROWS]])

    def draw(self, number: int) -> JSON:
        """An entry of a sweep's `datasets`, for a sweep file beside the data: what a trial is depends on the names."""
        random = np.random.default_rng(number)
        rows = np.append(random.permutation(TRAINING_ROWS), TRAINING_ROWS + np.arange(TEST_ROWS))
        pixels, classes = random.permutation(PIXELS), random.permutation(CLASSES)
        entry = {
            "data": f"x{number}.npy",
            "labels": f"y{number}.npy",
            "split": {"order": "time"},
        }
        np.save(self.folder / entry["data"], np.ascontiguousarray(self.x[rows][:, pixels]))
        np.save(self.folder / entry["labels"], classes.astype(np.int32)[self.y[rows]])
        return entry

    def write_samples(self, number: int, file: Path) -> None:
        """A draw as a worker reads it."""
        entry = self.draw(number)
        paths = {key: str(self.folder / entry[key]) for key in ("data", "labels")}
        files = ["--dataset", json.dumps({**entry, **paths}), "--data-set", str(file)]
        write_inputs(self.build, self.trial, files)
