"""Planted bugs that the tests of the loop must notice: each drops or turns one rule of it."""

from pathlib import Path

from tools.mutants import Mutant, failed_tests, main, run_tests

BLOCK = "src/measure/block_run.cpp"
LENGTHS = "src/measure/slice_lengths.cpp"
LOOP = "src/measure/slice_loop.cpp"
PILOT = "src/measure/pilot.cpp"
RENEWALS = "src/measure/renewals.cpp"
RUN = "src/measure/run_block.cpp"

MUTANTS = {
    "woken_beside_another": Mutant(
        BLOCK,
        "  park_awake(run);\n  run.port.resume(",
        "  run.port.resume(",
        "an arm wakes while another one runs",
    ),
    "prepared_beside_another": Mutant(
        BLOCK,
        "  park_awake(run);\n  run.awake = arm.index.value;  // also",
        "  run.awake = arm.index.value;  // also",
        "an arm is built while another one runs",
    ),
    "drain_unheard_before_slices": Mutant(
        BLOCK,
        "if (run.port.interrupted()) throw Interrupted{};",
        "",
        "a drain waits for pilots and the first square",
    ),
    "first_step_not_alone": Mutant(
        PILOT,
        "arm.step_seconds = take_slice(run, arm, Phase::first, {.steps = 1});",
        "arm.step_seconds = take_slice(run, arm, Phase::first, {.steps = 2});",
        "a cold start is no first step",
    ),
    "warm_up_unseen": Mutant(
        PILOT,
        "arm.warmup_steps += find_warmup_steps(run, arm);",
        ";",
        "how long a fresh process is slow is not looked at",
    ),
    "warm_up_of_its_own": Mutant(
        PILOT,
        "run.arms[run.living[i]].warmup_steps = shared[i];",
        ";",
        "arms that are compared have warmed up for unequal steps",
    ),
    "warm_up_too_long": Mutant(
        PILOT,
        "arm.warmup_steps - reentry_steps;",
        "arm.warmup_steps;",
        "a re-entry comes on top of the warm-up of a fresh process",
    ),
    "pilot_is_scored": Mutant(
        LENGTHS,
        "take_slice(run, arm, stats::Phase::warmup, slice);",
        "take_slice(run, arm, stats::Phase::steady, slice);",
        "the rounds that choose lengths enter the verdict",
    ),
    "reentry_as_planned": Mutant(
        LENGTHS,
        "slices.reentry_steps += needed;",
        ";",
        "slices that begin unlike they go on keep their re-entry",
    ),
    "scatter_unseen": Mutant(
        LENGTHS,
        "factor = std::max(factor, advice.factor);",
        "",
        "slices stay short where the ratio scatters",
    ),
    "order_of_the_first_round": Mutant(
        LOOP,
        "stats::round_order(turn.size(), round, order_seed(run.task))",
        "stats::round_order(turn.size(), 0, order_seed(run.task))",
        "an arm has the same place in every round",
    ),
    "decided_arm_stays": Mutant(
        LOOP,
        "turn = still_open(run, turn);",
        ";",
        "an arm that is decided is measured on",
    ),
    "square_beyond_the_budget": Mutant(
        LOOP,
        "if (run.active_seconds + square_seconds > budget_seconds) return;",
        "if (run.active_seconds > budget_seconds) return;",
        "a square begins that the block's time does not hold",
    ),
    "drain_unheard_between_squares": Mutant(
        LOOP,
        "return run.interrupted;",
        "return false;",
        "a drain waits for the end of the block",
    ),
    "always_renewed": Mutant(
        RENEWALS,
        "return served >= (",
        "return served > 0 || served >= (",
        "fresh processes after every square, whatever a start costs",
    ),
    "never_renewed": Mutant(
        RENEWALS,
        "return served >= (",
        "return served < 0 && served >= (",
        "one pair of processes serves the whole block",
    ),
    "pairs_uncounted": Mutant(
        RENEWALS, "++renewals.pairs;", "", "starts that cost much go on after enough pairs"
    ),
    "work_checked_too_late": Mutant(
        RUN,
        "  check_same_work(run);\n  if (!run.living.empty() && !has_nothing_to_explain(run)) "
        "measure(run, budget);\n",
        "  if (!run.living.empty() && !has_nothing_to_explain(run)) measure(run, budget);\n"
        "  check_same_work(run);\n",
        "arms are scored before anybody asked whether they do the same work",
    ),
    "work_of_the_last_arm": Mutant(
        "src/measure/check_same_work.cpp",
        "checked[at], checked[alike.front()]);",
        "checked[at], checked[alike.back()]);",
        "every arm is held to the last one instead of the baseline",
    ),
    "given_back_with_squares": Mutant(
        RUN,
        "if (run.complete_squares == 0) return",
        "if (run.complete_squares >= 0) return",
        "a drain that cannot wait loses complete squares",
    ),
    "incomplete_square_kept": Mutant(
        RUN,
        "return sample.square >= run.complete_squares;",
        "return sample.square > run.complete_squares;",
        "a square that a drain cut short is kept",
    ),
    "arms_not_released": Mutant(
        RUN,
        "for (const Arm& arm : run.arms) arms.release(arm.index);",
        ";",
        "processes of a finished block go on",
    ),
}


def notice(program: Path) -> str:
    return ", ".join(failed_tests(run_tests(program, {}, [])))


if __name__ == "__main__":
    main("measure", MUTANTS, notice)
