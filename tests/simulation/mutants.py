"""Planted bugs that the simulation must find, in 1,000 seeds at most."""

import re
from pathlib import Path

from tools.mutants import Mutant, main, run_tests
from tools.store_mutants import STORE_MUTANTS

COORDINATOR = "src/dispatch/coordinator.cpp"
AGENT = "src/dispatch/agent_turn.cpp"
SCHEDULER = "src/schedule/scheduler.cpp"

MUTANTS = STORE_MUTANTS | {
    "acknowledged_before_durable": Mutant(
        COORDINATOR,
        "waiting_acks_.front().records <= durable_",
        "waiting_acks_.front().records <= recorded_",
        "a result is acknowledged when its record is handed over, not when it is on disk",
    ),
    "lost_give_back": Mutant(
        COORDINATOR,
        "act(scheduler_.on(schedule::BlocksGivenBack{from, message.blocks}, wall_seconds_));",
        "",
        "blocks that an agent gives back never reach the scheduler",
    ),
    "attempt_counted_twice": Mutant(
        COORDINATOR,
        "if (!is_news(message.block, message.attempt)) return;",
        "",
        "the end of an attempt that arrives twice is recorded twice",
    ),
    "durable_record_ignored": Mutant(
        COORDINATOR,
        "if (earlier.finished.contains(block.hash) || is_deadly(sweep, deaths)) continue;",
        "if ((earlier.finished.contains(block.hash) && block.index.value != 1) || is_deadly(sweep, deaths)) continue;",
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
    "task_of_another_block": Mutant(
        COORDINATOR,
        "plan_.blocks.at(grant.first.value + i);",
        "plan_.blocks.at(grant.first.value);",
        "every block of a range is sent as the first one",
    ),
    "dropped_arms_run_again": Mutant(
        AGENT,
        "task.dropped = grant.dropped;",
        "",
        "an agent does not hear which arms are not to be run again",
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
    "kept_squares_replaced": Mutant(
        COORDINATOR,
        "entry.continues = earlier_.continued.contains(entry.block);",
        "",
        "a resumed block replaces the squares that a drain kept",
    ),
}


def notice(program: Path) -> str:
    found = re.search(
        r"seed \d+: [^(\n]*",
        run_tests(program, {"REGATTA_SEEDS": "1000"}, ["--gtest_filter=Simulation.*"]),
    )
    return found.group(0).strip() if found else ""


if __name__ == "__main__":
    main("simulation", MUTANTS, notice)
