"""Wrong ways of judging as patches of shipped code: T1 must miss a bar that the rules keep."""

import re
from pathlib import Path

from tools.mutants import Mutant, failed_tests, main, run_tests

BLOCKS = "src/stats/contrast_blocks.cpp"
CROSSOVER = "src/stats/crossover.cpp"
LOOP = "src/measure/slice_loop.cpp"
INTERVAL = "src/stats/pair_interval.cpp"
VERDICT = "src/stats/verdict.cpp"
ORDER = "stats::round_order(turn.size(), round, order_seed(run.task))"

MUTANTS = {
    "sequential_arms": Mutant(
        LOOP,
        ORDER,
        "std::vector<std::uint32_t>(turn.size(), static_cast<std::uint32_t>(round % turn.size()))",
        "each square runs one arm after the other",
    ),
    "fixed_order": Mutant(
        LOOP, ORDER, "stats::round_order(turn.size(), 0, 0)", "AB in every round"
    ),
    "peeking": Mutant(
        INTERVAL,
        "const double left = 2 / alpha - of_signs;",
        "const double left = 0.2 / alpha - of_signs;",
        "intervals as short as those of a single look, looked at after every pair",
    ),
    "process_level_dropped": Mutant(
        BLOCKS,
        "if (pairs.empty() || pairs.back().total.pair != square.pair)",
        "if (true)",
        "squares of one pair of processes count as replicates",
    ),
    "stalls_left_out": Mutant(
        VERDICT,
        "values.log_ratios.push_back(log_ratio(pairs[n - 1].total));",
        "values.log_ratios.push_back(typical_log_ratio(pairs[n - 1]));",
        "a pair counts by its typical square",
    ),
    "medians_of_steps": Mutant(
        BLOCKS,
        "return std::log(value_of(block.a) / value_of(block.b));",
        "return median_steps_log_ratio(block);",
        "slices are valued by their median step",
    ),
    "no_margin": Mutant(
        VERDICT,
        "Verdict::undecided : verdict_of(range, delta);",
        "Verdict::undecided : verdict_of(range, 0);",
        "any difference that the interval shows is a verdict",
    ),
    "crossovers_by_sign": Mutant(
        CROSSOVER,
        "  const bool logarithmic = ",
        """  for (AxisPoint& point : points) point.verdict = verdict_of(point.log_ratio.range, 0);
  const bool logarithmic = """,
        "levels on different sides of 0 make a crossover, however small their differences",
    ),
    "flagged_slices_dropped": Mutant(
        BLOCKS,
        "if (!complete(square)) continue;",
        "if (!complete(square) || flagged(square.a) || flagged(square.b)) continue;",
        "disturbed squares never reach the interval",
    ),
}

# The tests that have to notice each of them: others would only take time.
CELLS = {
    "sequential_arms": "*ShippedLoop*",
    "fixed_order": "*ShippedLoop*",
    "peeking": "*ShippedLoop*",
    "process_level_dropped": "*ReplayPairs*/0",
    "stalls_left_out": "*EarlyVerdicts*",
    "medians_of_steps": "ReplayMutants*",
    "no_margin": "*ShippedLoop*",
    "crossovers_by_sign": "CrossoverLines*",
    "flagged_slices_dropped": "*ShippedLoop*:ReplayMutants*",
}
MISSED = r"(?:the loop misses a bar|the rule itself): [a-z ]+[a-z0]: [\d.]+ %"
FEW = {"REGATTA_REPLAY_RUNS": "200"}


def notice(program: Path) -> str:
    """The bars that are missed, or the tests that fail otherwise."""
    of_mutant = CELLS.get(program.name.removeprefix("mutant_measuring_"))
    cells = of_mutant or ":".join(sorted(set(CELLS.values())))
    output = run_tests(program, FEW, [f"--gtest_filter={cells}"])
    return "; ".join((sorted(set(re.findall(MISSED, output))) or failed_tests(output))[:3])


if __name__ == "__main__":
    main("measuring", MUTANTS, notice)
