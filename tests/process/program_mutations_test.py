"""Mutated sweeps of commands: each ends as an error with its place, or with rows that say what became of them.

python3 tests/process/program_mutations_test.py --count 500 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from dataclasses import dataclass

from tools.regatta_process import BINARY, Scratch

BUDGET_SECONDS = 1.0
SHARE_OVER = 0.1
START_SECONDS = 6.0  # launcher, ranks and reports on a busy machine
MOST_SECONDS = 120  # only a hang takes so long

WORDS = ["{n}", "{m}", "--n={n}", "{{n}}", "{n", "n}", "{}", "{ n }", "{n}{alg}", "${n}", "{n.m}", "{repeat}",
         "{threads}", "{batch}", "{engine}", "{{{n}}}", "", "x\u00e9{n}", "{" * 50 + "n" + "}" * 50]  # fmt: skip
LEVELS = [[1, 2], [0.5, 1], ["a", "b"], [True, False], 3, "a", [1, "a"], [], {}, None, [None], {"linear": [1, 3]},
          {"geometric": [1, 8]}, {"log_uniform": [0.001, 1]}, {"uniform": [0, 1]}, {"choice": ["a", 1]}, [[1]],
          ["x\ny", "{n}"], [1e308, -1e308], ["", " "], {"linear": [1, 1e9]}]  # fmt: skip
NAMES = ["n", "alg", "m", "layers.0.dense", "step_time", "seconds", "batch", "seed", "lr-max", "n_n", "1n", "a b", "parameters",
         "results_file", "a" * 45, "status", "m_x", ""]  # fmt: skip
RESULTS = [
    ["a"],
    ["b"],
    ["a", "a"],
    [],
    "a",
    ["n"],
    ["step_time"],
    [""],
    [3],
    ["a b"],
    {"a": "K"},
    {"a": {}},
    {"a": {"pattern": '"a": ([0-9.]+)'}},
    {"a": {"pattern": "(a+)+$"}, "b": {"pattern": "t(ext)"}},
    {"a": {"pattern": "("}},
    {"a": {"file": "x.json", "key": "a"}},
    None,
]
METRICS = ["json:s", "json:a", "json:", "json:missing", "s", 3, None, "json:" + "k" * 300]
MEASURED = ["time_per_step", "latency_p50", "peak_memory", "result", {"result": "a"}, {"result": "b", "goal": "higher"},
            {"result": "a", "margin": "5%"}, {"result": "n"}, {"result": "a", "goal": "best"}, {}, {"goal": "lower"},
            {"result": ["a"]}, "time_to_n"]  # fmt: skip
PRINTED = ['{"s": 0.01, "a": 1}', '{"s": 0.000001}', '{"s": 0}', '{"s": -1, "a": -1}', '{"s": NaN, "a": nan}',
           '{"a": {"value": 1, "unit": "K"}}', '{"a": {"value": "x"}}', '{"a": {"value": Infinity, "unit": 3}}',
           '{"a": "1"}', '{"a": [1]}', '{"a": 1e999}', '{"a": 1', "[1, 2]", "", "text", '{"a b": 1, "step_time": 3}',
           '{"a": 1}\n{"a": 2}', '{"s": 1e-300, "a": 1e-300}', '{"a":' * 500, '{"\\u0000": 1}', '{"s": true}']  # fmt: skip
ENDS = ["", "", "", "", "", "exit 3", "kill -SEGV $$", "yes | head -c 300000", "sleep 0.05",
        'echo "{\\"a\\": 7}" > "$REGATTA_RESULTS_FILE"', 'mkdir "$REGATTA_RESULTS_FILE"',
        'mkfifo "$REGATTA_RESULTS_FILE"', 'ln -s /dev/zero "$REGATTA_RESULTS_FILE"']  # fmt: skip


def mutated(choice: random.Random) -> dict:
    printed, end = choice.choice(PRINTED), choice.choice(ENDS)
    command: dict = {"argv": ["sh", "-c", f"cat <<'E'\n{printed}\nE\n{end}\n", "tell", "{n}"]}
    sweep: dict = {
        "regatta": 1,
        "name": "mutant",
        "axes": {"engine": "command", "command": "tell", "n": [1, 2]},
        "commands": {"tell": command},
        "measure": {"per_contrast": "300ms", "total": f"{BUDGET_SECONDS}s"},
        "limits": {"trial_timeout": "20s", "attempts": 1},
    }
    if choice.random() < 0.6:
        sweep["compare"] = {"over": "n", "baseline": {"n": 1}}
    for change in choice.sample(range(9), choice.choice([0, 1, 1, 1, 2, 3])):
        if change == 0:
            command["argv"].append(choice.choice(WORDS))
        elif change == 1:
            command["argv"][-1] = choice.choice(WORDS)
        elif change == 2:
            sweep["axes"][choice.choice(NAMES)] = choice.choice(LEVELS)
        elif change == 3:
            sweep["axes"]["n"] = choice.choice(LEVELS)
        elif change == 4:
            command["results"] = choice.choice(RESULTS)
        elif change == 5:
            command["metric"] = choice.choice(METRICS)
        elif change == 6:
            sweep["measure"]["metric"] = choice.choice(MEASURED)
        elif change == 7:
            command["reads"] = choice.choice([["n"], [choice.choice(NAMES)], [], "n", [1]])
        else:
            sweep["measure"].update(
                choice.choice([{"slices": 1, "steps": 1}, {"steps": 3}, {"slices": 9}])
            )
    if choice.random() < 0.05:
        sweep["samples"] = 2
    return sweep


@dataclass
class Ended:
    problem: str  # empty: none
    kind: str
    seconds: float


def rows_say_why(scratch: Scratch) -> str:
    for trial in scratch.report()["trials"]:
        if trial["status"] == "open" or (trial["status"] != "finished" and not trial["reason"]):
            return f"a row that is {trial['status']} for no reason"
    return ""


def run(sweep: dict) -> Ended:
    scratch = Scratch(sweep)
    try:
        begin = time.monotonic()
        code = scratch.run("--ranks", "1", timeout=MOST_SECONDS)
        seconds = time.monotonic() - begin
        output = scratch.output()
        if code == 2:
            says_where = "sweep.json:" in output
            return Ended(
                "" if says_where else f"an error without its place: {output}", "error", seconds
            )
        if code == 75 and "is over, and" in output:
            return Ended("", "out of time", seconds)
        if code not in (0, 1):
            return Ended(f"exit {code}: {output[-500:]}", "other", seconds)
        return Ended(rows_say_why(scratch), "rows", seconds)
    except subprocess.TimeoutExpired:
        return Ended(f"no end in {MOST_SECONDS} s", "hang", MOST_SECONDS)
    finally:
        scratch.remove()


def is_late(ended: Ended) -> bool:
    return ended.seconds > (1 + SHARE_OVER) * BUDGET_SECONDS + START_SECONDS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--timed", action="store_true", help="one that ends too late is a problem, too"
    )
    options = parser.parse_args()
    if not BINARY.is_file():
        sys.exit(f"no {BINARY}; build first")
    problems, kinds, longest = 0, {}, 0.0
    for number in range(options.count):
        sweep = mutated(random.Random(f"{options.seed} {number}"))
        ended = run(sweep)
        if options.timed and is_late(ended):
            ended = run(sweep)  # a machine that was stopped for a while is hardly stopped twice
            if is_late(ended) and not ended.problem:
                ended.problem = f"{ended.seconds:.1f} s, beyond its budget"
        kinds[ended.kind] = kinds.get(ended.kind, 0) + 1
        longest = max(longest, ended.seconds)
        if ended.problem:
            problems += 1
            print(f"mutant {number} of seed {options.seed}: {ended.problem}\n{json.dumps(sweep)}")
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    print(
        f"{options.count} mutants: {counts}; {problems} problems; the longest took {longest:.1f} s"
    )
    return 1 if problems or not options.count else 0


if __name__ == "__main__":
    sys.exit(main())
