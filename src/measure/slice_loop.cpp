#include "measure/slice_loop.hpp"

#include <algorithm>

#include "measure/comparisons.hpp"
#include "measure/renewals.hpp"
#include "measure/slice_lengths.hpp"

namespace regatta::measure {
namespace {

void run_round(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn, std::uint64_t round) {
  const auto square = static_cast<std::uint16_t>(round / turn.size());
  for (const std::uint32_t position : stats::round_order(turn.size(), round, order_seed(run.task))) {
    const std::size_t at = turn[position];
    const double start = run.port.now();
    for_living(run, at, [&](Arm& arm) { take_slice(run, arm, stats::Phase::steady, lengths.of(at), square); });
    run.active_seconds += run.port.now() - start;
  }
}

/// After a complete square, with work left: whether it stays undone.
bool is_interrupted(BlockRun& run) {
  run.interrupted = run.port.interrupted();
  return run.interrupted;
}

/// As many as the sweep file fixes, or, of arms without a baseline, as the budget gives.
void run_planned_rounds(BlockRun& run, const SliceLengths& lengths) {
  const std::vector<std::size_t> turn = run.living;  // an arm that ends keeps its place in the order
  const bool compares = run.task.has_baseline && turn.size() > 1;
  const auto per_square = std::max<std::int64_t>(1, static_cast<std::int64_t>(turn.size()));
  const std::int64_t squares = lengths.plan.rounds / per_square;
  Renewals renewals;
  for (std::int64_t round = 0; round < lengths.plan.rounds; ++round) {
    if (round > 0 && round % per_square == 0) {
      run.complete_squares = round / per_square;
      if (is_interrupted(run)) return;
      const double square_seconds = run.active_seconds / static_cast<double>(run.complete_squares);
      if (compares) renew_if_due(run, lengths, turn, square_seconds, squares, renewals);
    }
    run_round(run, lengths, turn, static_cast<std::uint64_t>(round));
  }
}

void run_until_decided(BlockRun& run, const SliceLengths& lengths, double budget_seconds) {
  std::vector<std::size_t> turn = run.living;
  Renewals renewals;
  double square_seconds = 0;
  for (std::int64_t square = 0; turn.size() > 1 && run.is_living(turn.front()); ++square) {
    if (square > 0) {
      if (is_interrupted(run)) return;
      renew_if_due(run, lengths, turn, square_seconds, squares_to_verdict, renewals);
    }
    const double before = run.active_seconds;
    const std::uint64_t rounds = turn.size();  // every arm once at each position; an odd square's mirror image follows
    for (std::uint64_t round = 0; round < rounds; ++round)
      run_round(run, lengths, turn, static_cast<std::uint64_t>(square) * rounds + round);
    run.complete_squares = square + 1;
    square_seconds = run.active_seconds - before;
    turn = still_open(run, turn);
    if (run.active_seconds + square_seconds > budget_seconds) return;
  }
}

}  // namespace

void measure(BlockRun& run, BlockBudget& budget) {
  const double budget_seconds = std::min(run.task.wanted_seconds, run.task.share_seconds + budget.unused_seconds);
  SliceLengths lengths = planned_lengths(run, budget_seconds);
  const bool sequential =
      run.task.has_baseline && run.is_living(0) && run.living.size() > 1 && !run.task.measure.slices;
  if (sequential) {
    if (!run.task.measure.steps) adapt_lengths(run, lengths, budget_seconds);
    leave_if_interrupted(run);
    run_until_decided(run, lengths, budget_seconds);
    budget.unused_seconds = std::max(0.0, budget.unused_seconds + run.task.share_seconds - run.active_seconds);
  } else {
    run_planned_rounds(run, lengths);
  }
  run.undecided = undecided_comparisons(run);
}

}  // namespace regatta::measure
