"""How far one coordinator reaches: what is measured here with real processes, and what is simulated from that.

    python3 -m bench.scaling link       what messages cost rank 0, with 64, 128 and 256 real ranks
    python3 -m bench.scaling slept      sweeps whose trials sleep, with 4 and 64 real ranks, beside what is foretold
    python3 -m bench.scaling programs   the same through `regatta run`, each trial a program that sleeps
    python3 -m bench.scaling alone      simulated: up to 4,096 agents and 10^6 trials, each trial on one agent
    python3 -m bench.scaling groups     simulated: the same, a tenth of the blocks for groups of agents
    python3 -m bench.scaling limits     simulated: the shortest trials for which a coordinator is quick enough
    python3 -m bench.scaling singles    simulated: trials that stand alone in their blocks

Each replaces its part of bench/records/scaling.json; bench/scaling_page.py writes docs/background/scaling.md from it. The first three
want an otherwise idle machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from typing import Any

from bench.noop_runs import block_times
from tools import ROOT
from tools.regatta_process import Scratch, sleeps

JSON = dict[str, Any]
RECORD = ROOT / "bench" / "records" / "scaling.json"
PROGRAMS = ROOT / "build" / "bin"
ROUNDS = 3
LINK_RANKS = (64, 128, 256)
LINK_MESSAGES = 50
AGENTS = (64, 512, 4096)
TRIAL_SECONDS = (0.001, 0.01, 0.1, 1, 10)
SYNC_SECONDS = (0.0001, 0.005, 0.2)
TRIALS = 1_000_000
LIMIT_AGENTS = (64, 256, 1024, 4096)
GUESSED_TRIAL_SECONDS = 1e-5  # time of rank 0 for a trial, guessed: the limits are looked for there
LIMIT_BLOCKS = 30  # an agent's share at least: with fewer the start and the end would show
LIMIT_FACTORS = (0.25, 0.5, 1, 1.5, 2.5)
PATIENCE_SECONDS = 1800
# ranks, trials, seconds of a trial, trials of a block
SLEPT = ((4, 4000, 0.01, 4), (64, 40000, 0.01, 4), (64, 40000, 0.01, 1), (64, 40000, 0.005, 4))
# ranks, trials, seconds of a trial: a program each
PROGRAM_RUNS = ((4, 800, 0.05), (64, 1280, 0.5))


def read_record() -> JSON:
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def keep(part: str, value: Any) -> None:
    RECORD.write_text(json.dumps(read_record() | {part: value}, indent=1) + "\n")


def output_of(command: list[str]) -> Any:
    """The output of a program, as JSON."""
    variables = {
        "OMPI_MCA_mpi_yield_when_idle": "1",  # as `regatta run` starts its ranks
        "OMPI_MCA_pml": "ob1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    done = subprocess.run(
        command,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=PATIENCE_SECONDS,
        check=True,
    )

    return json.loads(done.stdout)


def with_ranks(ranks: int, *words: object) -> Any:
    mpirun = ["mpirun", "--quiet", "-n", str(ranks), "--bind-to", "none", "--oversubscribe"]
    program = str(PROGRAMS / "bench_link")
    return output_of([*mpirun, "--stdin", "none", program, *map(str, words)])


def simulated(**options: object) -> list[JSON]:
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    split = [part for word in words for part in word.split("=", 1)]
    return output_of([str(PROGRAMS / "bench_simulation"), "--json", "--link", str(RECORD), *split])


# ---- the link ----------------------------------------------------------------------------------------------


def line_through(points: list[tuple[float, float]]) -> JSON:
    """Least squares; a byte costs nothing rather than less."""
    xs, ys = zip(*points, strict=True)
    slope = max(0.0, statistics.linear_regression(xs, ys).slope)
    base = max(0.0, statistics.mean(ys) - slope * statistics.mean(xs))
    return {"seconds": base, "byte_seconds": slope}


def link_of(ranks: int) -> JSON:
    rounds = [with_ranks(ranks, "costs", LINK_MESSAGES) for _ in range(ROUNDS)]

    def median_at(place: int, name: str) -> float:
        return statistics.median(each["sizes"][place][name] for each in rounds)

    places = range(len(rounds[0]["sizes"]))
    found: JSON = {
        "ranks": ranks,
        "probe_seconds": statistics.median(each["probe_seconds"] for each in rounds),
        "rounds": rounds,
    }
    for way, size in (("receive", "received_bytes"), ("send", "sent_bytes")):
        found[way] = line_through(
            [(median_at(place, size), median_at(place, f"{way}_seconds")) for place in places]
        )
    return found


def measure_link() -> None:
    keep("link", [link_of(ranks) for ranks in LINK_RANKS])


# ---- forecasts ---------------------------------------------------------------------------------------------

ALIKE = {"groups": 0, "kinds": 0, "leavers": 0, "drain": 0}


def slept_sweep(ranks: int, trials: int, seconds: float, arms: int) -> JSON:
    real = with_ranks(ranks, "sweep", trials, seconds, arms)
    foretold = simulated(
        agents=ranks,
        trials=trials,
        trial=seconds,
        arms=arms,
        sync=real["sync_seconds"],
        **ALIKE,
    )[0]
    return real | {
        "foretold_seconds": foretold["whole_seconds"],
        "foretold_cpu_seconds": foretold["cpu_seconds"],
        "ideal_seconds": foretold["ideal_seconds"],
    }


def span(times: list[tuple[float, float]]) -> float:
    return max(end for _, end in times) - times[0][0]


def program_seconds(ranks: int, seconds: float, trials: int) -> float:
    """From the first trial's start to the last one's end, through `regatta run`."""
    scratch = Scratch(sleeps(seconds, trials))
    try:
        assert scratch.run("--ranks", str(ranks)) == 0, scratch.output()
        return span(block_times(scratch))
    finally:
        scratch.remove()


def program_run(ranks: int, trials: int, seconds: float) -> JSON:
    alone = max(10, round(2 / seconds))
    each = program_seconds(1, seconds, alone) / alone
    plain = {"spread": 0, "stragglers": 0, "deaths": 0}
    foretold = simulated(
        agents=ranks, trials=trials, trial=each, arms=1, sync=0.001, **ALIKE, **plain
    )[0]
    return {
        "ranks": ranks,
        "trials": trials,
        "program_seconds": seconds,
        "trial_seconds": each,
        "whole_seconds": program_seconds(ranks, seconds, trials),
        "foretold_seconds": foretold["window_seconds"],
    }


def measure_slept() -> None:
    keep("slept", [[slept_sweep(*case) for case in SLEPT] for _ in range(ROUNDS)])


def measure_programs() -> None:
    keep("programs", [[program_run(*case) for case in PROGRAM_RUNS] for _ in range(ROUNDS)])


# ---- the simulation ----------------------------------------------------------------------------------------


def listed(values: tuple[float, ...]) -> str:
    return ",".join(str(value) for value in values)


def trials_for(agents: int) -> int:
    """Enough for each agent to run some 60 blocks; shares of time do not change with more."""
    return TRIALS if agents > TRIALS // 1000 else TRIALS // 5


def keep_by_agents(name: str, **more: Any) -> None:
    rows = []
    for agents in AGENTS:
        rows += simulated(
            agents=agents, trial=listed(TRIAL_SECONDS), trials=trials_for(agents), **more
        )
    keep(name, rows)


def simulate_alone() -> None:
    keep_by_agents("alone", sync=listed(SYNC_SECONDS), groups=0)


def simulate_groups() -> None:
    keep_by_agents("groups", sync=SYNC_SECONDS[0], free=1)


def simulate_limits() -> None:
    """Around the length of a trial at which rank 0 has just as much to do as it can."""
    rows = []
    for agents in LIMIT_AGENTS:
        lengths = tuple(
            round(agents * factor * GUESSED_TRIAL_SECONDS, 7) for factor in LIMIT_FACTORS
        )
        rows += simulated(
            agents=agents,
            trial=listed(lengths),
            sync=SYNC_SECONDS[0],
            groups=0,
            trials=max(TRIALS // 5, LIMIT_BLOCKS * 4 * agents),
        )
    keep("limits", rows)


def simulate_singles() -> None:
    """Trials that stand alone in their blocks, and travel in ranges."""
    keep(
        "singles",
        simulated(
            agents=AGENTS[0],
            trial=TRIAL_SECONDS[1],
            sync=SYNC_SECONDS[0],
            groups=0,
            arms=1,
            trials=TRIALS // 5,
        ),
    )


PARTS = {
    "link": measure_link,
    "slept": measure_slept,
    "programs": measure_programs,
    "alone": simulate_alone,
    "groups": simulate_groups,
    "limits": simulate_limits,
    "singles": simulate_singles,
}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        print(__doc__, file=sys.stderr)
        return 2
    PARTS[sys.argv[1]]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
