"""Data that go away or change while a run reads them."""

from __future__ import annotations

import random
import subprocess

import bout
from bout import DONE, SOME_FAILED, Bout, Place
from kinds import Kind, Try
from places import JOURNAL, call

from tools.regatta_process import BINARY, Scratch

ROWS = 60
FILE = "flowers.csv"
MODEL = {
    "name": "three-kinds",
    "input": [2],
    "layers": [{"dense": 4, "activation": "relu"}, {"dense": 3, "activation": "softmax"}],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"sgd": {"learning_rate": 0.1}},
}
# A worker that waits before it is one, as the fake one does.
HELD = f"""#!/bin/sh
beside=$(cat "$1/waits-at" 2> /dev/null)
if [ -n "$beside" ] && (set -C; : > "$beside") 2> /dev/null; then
  until [ -e "$beside.go" ]; do sleep 0.01; done
fi
shift
exec "{BINARY.parent / "regatta-worker"}" "$@"
"""


def flowers(seed: int) -> str:
    draw = random.Random(seed)
    lines = [f"{draw.gauss(i % 3, 1):.4f},{draw.gauss(0, 1):.4f},{i % 3}" for i in range(ROWS)]
    return "\n".join(["a,b,kind", *lines]) + "\n"


def with_data(begun: Bout) -> None:
    """The same bout with another sweep, whose trials read a file."""
    folder = begun.scratch.folder
    program = folder / "held"
    program.write_text(HELD)
    program.chmod(0o755)
    begun.scratch = Scratch(
        {
            "regatta": 1,
            "name": bout.NAME,
            "axes": {
                "engine": ["native@held"],
                "model": MODEL,
                "dataset": "flowers",
                "seed": list(range(len(begun.expected))),
            },
            "datasets": {"flowers": {"data": FILE, "label_column": "kind"}},
            "environments": {"held": {"engine": "native", "program": [str(program), str(folder)]}},
            "measure": {"slices": 2, "steps": 500},
            "limits": {"trial_timeout": "20s"},
        },
        folder,
        begun.scratch.mark,
    )
    (folder / FILE).write_text(flowers(0))
    begun.expected = {trial["id"]: ("finished", 0) for trial in begun.scratch.plan()["trials"]}
    begun.times_are_exact = False


def damage(variant: str, begun: Bout) -> None:
    file = begun.scratch.folder / FILE
    if variant == "missing":
        file.unlink()
    else:
        whole = file.read_text()
        file.write_text(flowers(1) if variant == "replaced" else whole[: len(whole) // 2 - 3])


def changed_data(tried: Try) -> None:
    begun = tried.bout()
    with_data(begun)
    if tried.point == 3:
        place = Place()
        (begun.scratch.folder / "waits-at").write_text(f"{begun.scratch.folder}/reached-1")
    else:
        place = call("write", JOURNAL, " result ", 1, "before")

    def act(_: Bout, process: subprocess.Popen) -> None:
        damage(tried.variant, begun)

    code = begun.session(place, act)
    tried.is_reached = code is not None
    begun.expect_code(code, DONE, SOME_FAILED)
    trials = begun.scratch.report()["trials"]
    failed = [trial["reason"] for trial in trials if trial["status"] == "failed"]
    if not all(FILE in reason for reason in failed):
        begun.complain(f"I4: a trial failed, and the file is not named: {failed}")
    if not failed and f"the contents of {FILE} changed" not in begun.output():
        begun.complain("I4: the data changed, and nobody says so")
    (begun.scratch.folder / FILE).write_text(flowers(0))
    begun.finish("--rerun", "failed")


KINDS = (
    Kind(
        "data go away, are cut, are replaced while a run reads them",
        changed_data,
        (3, 4),
        ("missing", "truncated", "replaced"),
        "data",
    ),
)
