"""Planted bugs that the simulation must find: each is a change of one shipped file.

mutants.py plant NAME SOURCE_FOLDER OUT    the changed file
mutants.py find BINARY_DIR                 builds each and runs its seeds until one fails
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Mutant(NamedTuple):
    file: str
    shipped: str
    planted: str
    why: str


COORDINATOR = "src/dispatch/coordinator.cpp"
AGENT = "src/dispatch/agent_turn.cpp"
SCHEDULER = "src/schedule/scheduler.cpp"

MUTANTS = {
    "acknowledged_before_durable": Mutant(
        COORDINATOR,
        "waiting_acks_.front().records <= durable_",
        "waiting_acks_.front().records <= recorded_",
        "a result is acknowledged when its record is handed over, not when it is on disk",
    ),
    "lost_give_back": Mutant(
        COORDINATOR,
        "act(scheduler_.on(schedule::BlocksGivenBack{from, message.blocks}));",
        "",
        "blocks that an agent gives back never reach the scheduler",
    ),
    "attempt_counted_twice": Mutant(
        COORDINATOR,
        "if (!received_.emplace(message.block, message.attempt).second) return;",
        "",
        "the end of an attempt that arrives twice is recorded twice",
    ),
    "durable_record_ignored": Mutant(
        COORDINATOR,
        "if (!finished.contains(block.hash))",
        "if (!finished.contains(block.hash) || block.index.value == 1)",
        "a resumed run measures a block again that is on disk",
    ),
    "granted_after_drain": Mutant(
        SCHEDULER,
        "  core.drained = true;\n",
        "  core.drained = core.waiting == 0;\n",
        "a drain does not stop grants",
    ),
    "leaving_agent_is_fed": Mutant(
        SCHEDULER,
        "part_with(core, event.agent, std::move(blocks), Duty::leaving);",
        "part_with(core, event.agent, std::move(blocks), Duty::free);",
        "an agent that gave blocks back gets new ones",
    ),
    "left_before_acknowledged": Mutant(
        AGENT,
        "return finish_ && unacknowledged_.empty();",
        "return finish_;",
        "an agent leaves while results of its are not acknowledged",
    ),
    "late_grant_is_run": Mutant(
        AGENT,
        "if (draining_) give_back();",
        "",
        "a grant that crosses a drain is run",
    ),
    "done_before_durable": Mutant(
        COORDINATOR,
        "return dismissed_ == agents_ && !awaits_disk();",
        "return dismissed_ == agents_;",
        "the coordinator leaves while records are not on disk",
    ),
}


def plant(name: str, source: Path, out: Path) -> None:
    mutant = MUTANTS[name]
    text = (source / mutant.file).read_text()
    if text.count(mutant.shipped) != 1:
        sys.exit(f"{mutant.file}: mutant {name} finds its place {text.count(mutant.shipped)} times")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text.replace(mutant.shipped, mutant.planted))


def find(binary_dir: Path) -> int:
    build = ["cmake", "--build", str(binary_dir), "--target", "simulation_mutants"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    missed = []
    for name, mutant in MUTANTS.items():
        run = subprocess.run(
            [binary_dir / "bin" / f"mutant_{name}"],
            env={**os.environ, "REGATTA_SEEDS": "1000"},
            capture_output=True,
            text=True,
        )
        found = re.search(r"seed \d+: [^(\n]*", run.stdout)
        print(f"{name}: {found.group(0).strip() if found else 'NOT FOUND'} ({mutant.why})")
        if not found:
            missed.append(name)
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1] == "names":
        print(";".join(f"{name}={mutant.file}" for name, mutant in MUTANTS.items()))
    elif sys.argv[1] == "plant":
        plant(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        sys.exit(find(Path(sys.argv[2])))
