"""Planted bugs that the tests of the loop must notice: each drops or turns one rule of it."""

from tools.mutants import Mutant, first_to_notice, main

BLOCK = "src/measure/block_run.cpp"
COMPARISONS = "src/measure/comparisons.cpp"
FORECAST = "src/measure/forecast.cpp"
LENGTHS = "src/measure/slice_lengths.cpp"
LOOP = "src/measure/slice_loop.cpp"
NEWS = "src/measure/news.cpp"
PILOT = "src/measure/pilot.cpp"
RENEWALS = "src/measure/renewals.cpp"
GROUP = "src/measure/run_group.cpp"
VISITS = "src/measure/block_visits.cpp"

MUTANTS = {
    "evidence_as_if_half_differed": Mutant(
        COMPARISONS,
        "if (!has_family(run, at)) return std::max(of_rivals, of_sweep);",
        "return std::max(of_rivals, stats::evidence_needed(2, 1, alpha));",
        "differences stop with less than the sweep's size asks of the few that there are",
    ),
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
        "arm.first_step_seconds = take_slice(run, arm, Phase::first, {.steps = 1});",
        "arm.first_step_seconds = take_slice(run, arm, Phase::first, {.steps = 2});",
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
    "long_rounds_unseen": Mutant(
        LENGTHS,
        "stats::unsettled_samples(slices.first(long_rounds), delta)",
        "stats::unsettled_samples(slices, delta)",
        "of long steps no more are looked at than the shortest slice holds",
    ),
    "scatter_unseen": Mutant(
        LENGTHS,
        "factor = std::max(factor, stats::slice_factor(of_squares, delta, affordable, carries_over));",
        "factor = std::max(factor, stats::slice_factor({}, delta, affordable, carries_over));",
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
        "comparison.turn = without_decided(run, comparison.turn);",
        "static_cast<void>(without_decided(run, comparison.turn));",
        "an arm that is decided is measured on",
    ),
    "square_beyond_the_budget": Mutant(
        LOOP,
        "spent_seconds + next_seconds(renewals, comparison.square_seconds) > comparison.budget_seconds",
        "spent_seconds > comparison.budget_seconds",
        "a square begins that the block's time does not hold",
    ),
    "wall_time_unseen": Mutant(
        GROUP,
        "return pair_seconds(*block.comparison, starts) <= block.run.left_seconds();",
        "return true;",
        "a block takes longer than its share of the sweep's wall time",
    ),
    "half_a_pair_begun": Mutant(
        LOOP,
        "static_cast<double>(renewals.squares_each) * comparison.longest_seconds;",
        "comparison.longest_seconds;",
        "processes start that cannot serve all their squares in the wall time left",
    ),
    "drain_unheard_between_squares": Mutant(
        LOOP,
        "return run.interrupted;",
        "return false;",
        "a drain waits for the end of the block",
    ),
    "always_renewed": Mutant(
        LOOP,
        "if (comparison.is_over || comparison.renewals.is_closed()) return;",
        "return;",
        "fresh processes after every square, whatever a start costs",
    ),
    "never_renewed": Mutant(
        LOOP,
        "if (comparison.is_over || comparison.renewals.is_closed()) return;",
        "if (comparison.is_over) return;",
        "one pair of processes serves the whole block",
    ),
    "first_pairs_short": Mutant(
        LOOP,
        "if (comparison.is_over || comparison.renewals.is_closed()) return;",
        "if (comparison.is_over || comparison.renewals.pairs < 7 || comparison.renewals.is_closed()) return;",
        "the first pairs serve fewer squares than the later ones: some units are worth less than others",
    ),
    "pair_beyond_the_budget": Mutant(
        LOOP,
        "return static_cast<double>(renewals.squares_each) * square_seconds + price_of_start(renewals, square_seconds);",
        "return square_seconds;",
        "a pair begins that cannot end in the time left, so that its squares count for nothing",
    ),
    "starts_unpaid": Mutant(
        RENEWALS,
        "renewals.paid_seconds += price_of_start(renewals, square_seconds);",
        "",
        "starting takes more time than measuring, without an end",
    ),
    "starts_one_by_one": Mutant(
        "src/measure/renewals.cpp",
        "const bool is_side_by_side = run.port.places_beside() > 0 && in_turn_seconds > stats::rules::slow_start_seconds;",
        "const bool is_side_by_side = false;",
        "processes begin one after the other though there are cores for them",
    ),
    "side_by_side_beside_the_old": Mutant(
        "src/measure/block_run.cpp",
        "  park_awake(run);\n  std::vector<ArmIndex> arms;\n",
        "  std::vector<ArmIndex> arms;\n",
        "fresh processes begin while an old one is awake",
    ),
    "pairs_uncounted": Mutant(
        RENEWALS, "++renewals.pairs;", "", "starts that cost much go on after enough pairs"
    ),
    "work_checked_too_late": Mutant(
        VISITS,
        "  check_same_work(run);\n  if (run.living.empty() || has_nothing_to_explain(run)) return;\n"
        "  block.comparison = begin_measuring(run);\n"
        "  if (block.comparison) serve_pair(run, *block.comparison);\n",
        "  if (run.living.empty() || has_nothing_to_explain(run)) return check_same_work(run);\n"
        "  block.comparison = begin_measuring(run);\n"
        "  if (block.comparison) serve_pair(run, *block.comparison);\n  check_same_work(run);\n",
        "arms are scored before anybody asked whether they do the same work",
    ),
    "work_of_the_last_arm": Mutant(
        "src/measure/check_same_work.cpp",
        "for (const std::size_t at : alike) judge(alike.front(), at);",
        "for (const std::size_t at : alike) judge(alike.back(), at);",
        "every arm is held to the last one instead of the baseline",
    ),
    "given_back_with_squares": Mutant(
        VISITS,
        "if (run.complete_squares == 0) return",
        "if (run.complete_squares >= 0) return",
        "a drain that cannot wait loses complete squares",
    ),
    "incomplete_square_kept": Mutant(
        VISITS,
        "return sample.square >= run.complete_squares;",
        "return sample.square > run.complete_squares;",
        "a square that a drain cut short is kept",
    ),
    "quick_blocks_tell": Mutant(
        GROUP,
        "run.next_news_seconds = run.port.now() + news_interval_seconds;",
        "run.next_news_seconds = run.port.now();",
        "blocks that are over in a moment send messages",
    ),
    "every_square_tells": Mutant(
        NEWS,
        "run.next_news_seconds = now + news_interval_seconds;",
        "",
        "a message for each square",
    ),
    "starts_unforeseen": Mutant(
        FORECAST,
        "course.wait(squares.start_seconds);",
        "",
        "the time left holds squares alone, and most of it goes to starts",
    ),
    "wall_time_unforeseen": Mutant(
        FORECAST,
        "if (!course.has_wall_time(reckoned_seconds + each * course.square_seconds())) break;",
        "",
        "the time left is longer than the block's share of the sweep's",
    ),
    "arms_not_released": Mutant(
        GROUP,
        "for (const Arm& arm : block.run.arms) block.run.port.release(arm.index);",
        ";",
        "processes of a finished block go on",
    ),
    "depth_first": Mutant(
        GROUP,
        "    else\n      visit(at, first_visit);\n",
        "    else\n      for (visit(at, first_visit); !is_over_[at] && fits(blocks_[at]);) visit(at, next_visit);\n",
        "a block is measured to its end before the next one begins",
    ),
    "processes_of_each_block": Mutant(
        BLOCK,
        "return run.tour == nullptr || !run.tour->started.contains(arm.index.value);",
        "return true;",
        "each block of a tour starts processes of its own",
    ),
    "processes_of_the_last_tour": Mutant(
        GROUP,
        "tour_ = {open.size()};",
        "tour_.blocks = open.size();",
        "later tours measure on in the processes of the first",
    ),
    "start_of_the_first_block_alone": Mutant(
        BLOCK,
        "parts.insert(parts.begin(), *known->second);",
        ";",
        "a cold start of all blocks but one lacks its import",
    ),
    "cells_kept": Mutant(
        GROUP,
        "if (blocks_.size() > 1) clear(run);",
        "park_awake(run);",
        "a process holds the models of all blocks",
    ),
    "visits_told_again": Mutant(
        "src/measure/block_result.cpp",
        "if (sample.slice < told.slices) continue;",
        "",
        "samples of earlier visits are told with each later one",
    ),
    "discoveries_of_each_block": Mutant(
        GROUP,
        "budget_.discoveries = std::move(run.discoveries);",
        "",
        "what one block finds does not count for the others",
    ),
}


if __name__ == "__main__":
    main("measure", MUTANTS, first_to_notice)
