"""docs/reference/sweep.schema.json and the reader take the same files, and refuse the same ones."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from json_schema import problems  # noqa: E402

from tools.markdown_blocks import blocks, write_files  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin"
SCHEMA = json.loads((ROOT / "docs" / "reference" / "sweep.schema.json").read_text(encoding="utf-8"))

AXES = {"model": "mlp-10", "engine": ["native", "numpy"]}
# Keys beside "regatta" and "name", in place of these axes where they hold axes; each is wrong in one way.
WRONG: list[dict] = [
    {"axis": {}},
    {"axes": {}},
    {"axes": []},
    {"axes": {"model": []}},
    {"axes": {"model": 3}},
    {"axes": {"model": "mlp-10", "repeat": 1}},
    {"axes": {"model": "mlp-10", "batch": 0}},
    {"axes": {"model": "mlp-10", "batch": "32"}},
    {"axes": {"model": "mlp-10", "batch": 1.5}},
    {"axes": {"model": "mlp-10", "batch": True}},
    {"axes": {"model": "mlp-10", "batch": {"linear": [1]}}},
    {"axes": {"model": "mlp-10", "batch": {"linear": [1, 8], "step": 1, "count": 2}}},
    {"axes": {"model": "mlp-10", "batch": {"geometric": [1, 8], "factor": 1}}},
    {"axes": {"model": "mlp-10", "mode": {"uniform": [1, 8]}}, "samples": 3},
    {"axes": {"model": "mlp-10", "mode": "grpah"}},
    {"axes": {"model": "mlp-10", "engine": "nativ?"}},
    {"axes": {"model": "mlp-10", "prefetch": 2}},
    {"axes": {"model": {"name": "x", "matmul": 3, "layers": []}}},
    {"axes": {"model": {"name": "x", "input": [3], "layers": [{"dense": 1}], "loss": "mse"}}},
    {"task": "benchmrk"},
    {"repeats": 0},
    {"samples": 0},
    {"zip": []},
    {"zip": ["mo dl", "engine"]},
    {"when": [{"if": {"engine": "native"}}]},
    {"when": [{"if": {}, "axes": {"mode": "eager"}}]},
    {"include": [{}]},
    {"include": [{"batch": {"uniform": [1, 2]}}]},
    {"exclude": {}},
    {"exclude": [{"engine": []}]},
    {"compare": {"baseline": {"engine": "native"}}},
    {"compare": {"over": "eg ine", "baseline": {"engine": "native"}}},
    {"compare": {"over": "engine", "baseline": {}}},
    {"compare": {"over": "engine", "baseline": {"engine": "native"}, "pairs": "some"}},
    {"measure": {"margin": "1"}},
    {"measure": {"margin": 1}},
    {"measure": {"total": "10 minutes"}},
    {"measure": {"slices": 0}},
    {"measure": {"explain": 1}},
    {"measure": {"same_work": {"gradient": 2}}},
    {"measure": {"same_work": {"update": 0.1}}},
    {"limits": {"memory": "8 gigabytes"}},
    {"limits": {"attempts": 0}},
    {"environments": {"a b": {"engine": "numpy", "python": "p"}}},
    {"environments": {"x": {"engine": "nmpy", "python": "p"}}},
    {"environments": {"x": {"engine": "numpy", "python": "p", "path": "q"}}},
    {"commands": {"x": {}}},
    {"commands": {"x": {"argv": "ls"}}},
    {"commands": {"x": {"argv": ["ls"], "metric": "time"}}},
    {"commands": {"x": {"argv": ["ls"], "output": "all"}}},
    {"commands": {"x": {"argv": ["ls"], "results": {}}}},
    {"commands": {"x": {"argv": ["ls"], "results": {"a": {"regex": "a"}}}}},
    {"commands": {"x": {"argv": ["ls"], "results": {"a": "a=(.*)"}}}},
    {"limits": {"failures": 0}},
    {"limits": {"retry_timeouts": 1}},
    {"axes": {"engine": ["command", "native"], "model": "mlp-10", "batch": "32"}},
]


def shown_sweeps() -> list[tuple[str, list, str]]:
    """Where, the page's blocks, and the text of every sweep on the pages."""
    found = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        here = blocks(page.name, page.read_text(encoding="utf-8"))
        found += [
            (str(b), here, b.text) for b in here if b.tag == "json" and '"regatta": 1' in b.text
        ]
    return found


WITHOUT_THEIR_FILES = {"datasets.json"}  # a sweep for the fuzzer, whose data are nowhere


class Schema(unittest.TestCase):
    def plans(self, text: str, files: list = ()) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            write_files(list(files), Path(folder))
            (Path(folder) / "s.json").write_text(text, encoding="utf-8")
            command = [str(BIN / "regatta"), "plan", "s.json"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            return done.returncode == 0

    def test_both_take_what_the_pages_show(self) -> None:
        shown = shown_sweeps()
        self.assertGreater(len(shown), 8)
        for file in [
            *(ROOT / "sweeps").glob("*.json"),
            *(ROOT / "tests/fuzz/corpus/sweep").glob("*.json"),
        ]:
            shown.append((file.name, [], file.read_text(encoding="utf-8")))
        for where, files, text in shown:
            self.assertEqual(problems(json.loads(text), SCHEMA, SCHEMA), [], where)
            if where not in WITHOUT_THEIR_FILES:
                self.assertTrue(self.plans(text, files), where)

    def test_both_refuse_what_is_wrong(self) -> None:
        for keys in WRONG:
            sweep = {"regatta": 1, "name": "wrong", "axes": AXES, **keys}
            self.assertNotEqual(problems(sweep, SCHEMA, SCHEMA), [], keys)
            self.assertFalse(self.plans(json.dumps(sweep)), keys)

    def test_the_sweep_that_is_made_wrong_is_right(self) -> None:
        sweep = {"regatta": 1, "name": "right", "axes": AXES}
        self.assertEqual(problems(sweep, SCHEMA, SCHEMA), [])
        self.assertTrue(self.plans(json.dumps(sweep)))


if __name__ == "__main__":
    unittest.main()
