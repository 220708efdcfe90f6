"""The trials of the check on a GPU, written out as workers read them: no launcher stands between.

usage: trials.py REGATTA     writes trials.json again from what `regatta plan` says
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

JSON = dict[str, Any]
FILE = Path(__file__).resolve().parent / "trials.json"


def network(model: str, batch: int, **more: Any) -> JSON:
    return {"model": model, "batch": batch, **more}


def sequences(model: str, length: int, batch: int = 32) -> JSON:
    return network(model, batch, length=length)


# The most valuable first: time may end before the last.
ON_A_GPU: dict[str, JSON] = {
    "conv1d-small, 140": sequences("conv1d-small", 140),
    "mlp-10": network("mlp-10", 32),
    "mlp-784": network("mlp-784", 32),
    "conv1d-small, 1400": sequences("conv1d-small", 1400),
    "cnn-28": network("cnn-28", 32),
    "conv1d-medium, 140": sequences("conv1d-medium", 140),
    "matmul-1000": {"model": "matmul-1000"},
    "bilstm-question": network("bilstm-question", 32),
    "conv1d-question": network("conv1d-question", 32),
    "cnn-28, inference": network("cnn-28", 1, work="infer"),
    "conv1d-large, 1400": sequences("conv1d-large", 1400),
    "matmul-4000": {"model": {"name": "matmul-4000", "matmul": 4000}},
    "scalar-gradient": {"model": "scalar-gradient"},
}
# By what a step costs: the reference is the CPU's. The two largest have fewer samples.
SAME_WORK: dict[str, JSON] = {
    **{
        name: ON_A_GPU[name]
        for name in (
            "conv1d-small, 140",
            "scalar-gradient",
            "mlp-10",
            "mlp-784",
            "cnn-28, inference",
            "cnn-28",
            "matmul-1000",
            "conv1d-small, 1400",
            "conv1d-question",
            "conv1d-medium, 140",
            "matmul-4000",
        )
    },
    "conv1d-large, 1400, batch 8": sequences("conv1d-large", 1400, 8),
    "bilstm-question, batch 8": network("bilstm-question", 8),
}
# Where the GPU overtakes a core: lengths of one model, small to large.
CROSSOVER: dict[str, JSON] = {
    f"conv1d-small, {length}, batch 1": sequences("conv1d-small", length, 1)
    for length in (35, 70, 140, 350, 700, 1400, 2800)
}
# The same layers on a device that is a program.
EMULATED: dict[str, JSON] = {
    "conv1d-small, 12": sequences("conv1d-small", 12, 2),
    "mlp-10": network("mlp-10", 4),
    "matmul-64": {"model": {"name": "matmul-64", "matmul": 64}},
}
GROUPS = {"gpu": ON_A_GPU, "same work": SAME_WORK, "crossover": CROSSOVER, "emulated": EMULATED}


@dataclass(frozen=True)
class Trial:
    name: str
    parameters: JSON  # for the engine native on the CPU, in mode graph
    model: JSON

    @property
    def is_network(self) -> bool:
        """Its steps take batches."""
        return "work" in self.parameters

    def with_levels(self, **levels: Any) -> JSON:
        return {**self.parameters, **levels}


def planned(regatta: str, axes: JSON) -> JSON:
    sweep = {"regatta": 1, "name": "trial", "axes": {"engine": "native", "mode": "graph", **axes}}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(sweep, file)
        file.flush()
        command = [regatta, "plan", file.name, "--json"]
        plan = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    if len(plan["trials"]) != 1 or plan["skipped"]:
        raise ValueError(f"{axes} is no trial: {plan['skipped']}")
    read = {k: v for k, v in plan["trials"][0]["parameters"].items() if v is not None}
    return {"parameters": read, "model": plan["models"][plan["trials"][0]["model"]]}


def written(regatta: str) -> str:
    """The text of trials.json."""
    lines = []
    for group, trials in GROUPS.items():
        rows = [
            f"    {json.dumps(name)}: {json.dumps(planned(regatta, axes))}"
            for name, axes in trials.items()
        ]
        lines.append(f'  "{group}": {{\n' + ",\n".join(rows) + "\n  }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def trials_of(group: str) -> list[Trial]:
    found = json.loads(FILE.read_text())[group]
    return [Trial(name, each["parameters"], each["model"]) for name, each in found.items()]


if __name__ == "__main__":
    FILE.write_text(written(sys.argv[1]))
