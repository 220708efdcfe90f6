#include "measure/slice_loop.hpp"

#include <algorithm>
#include <utility>

#include "measure/measure.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measure {
namespace {

using sweep::WhyStopped;

constexpr std::int64_t pairs_of_a_verdict = stats::rules::fewest_process_pairs;

void run_round(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn, std::uint64_t round) {
  const auto square = static_cast<std::uint16_t>(round / stats::rounds_per_square(turn.size()));
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

/// Sets the reason why the arms that were still open ended.
void stop_arms(BlockRun& run, WhyStopped why) {
  for (std::size_t at = 1; at < run.arms.size(); ++at) {
    if (run.is_living(at) && run.arms[at].why_stopped == WhyStopped::none) run.arms[at].why_stopped = why;
  }
}

std::vector<std::size_t> without_decided(BlockRun& run, const std::vector<std::size_t>& turn) {
  std::vector<std::size_t> open = still_open(run, turn);
  for (const std::size_t at : turn) {
    if (std::ranges::find(open, at) == open.end()) run.arms[at].why_stopped = WhyStopped::decided;
  }
  return open;
}

/// As many as the sweep file fixes, or, of arms without a baseline, as the budget gives.
void run_planned_rounds(BlockRun& run, const SliceLengths& lengths) {
  const std::vector<std::size_t> turn = run.living;  // an arm that ends keeps its place in the order
  const bool compares = run.task.has_baseline && turn.size() > 1;
  const auto per_square = static_cast<std::int64_t>(stats::rounds_per_square(turn.size()));
  const std::int64_t squares = lengths.plan.rounds / per_square;
  Renewals renewals = planned_renewals(run, lengths, static_cast<double>(squares));
  renewals.squares_each = std::min(renewals.squares_each, std::max<std::int64_t>(1, squares / pairs_of_a_verdict));
  for (std::int64_t round = 0; round < lengths.plan.rounds; ++round) {
    if (round > 0 && round % per_square == 0) {
      run.complete_squares = round / per_square;
      ++renewals.served;
      if (is_interrupted(run)) return;
      const double square_seconds = run.active_seconds / static_cast<double>(run.complete_squares);
      if (!run.task.measure.slices && !has_wall_time(run, renewals, square_seconds)) return;
      const auto squares_left = static_cast<double>(squares - run.complete_squares);
      tell_squares(run, {renewals, turn.size(), turn, square_seconds, squares_left});
      if (compares && renewals.is_closed()) renew_processes(run, lengths, turn, square_seconds, renewals);
    }
    run_round(run, lengths, turn, static_cast<std::uint64_t>(round));
  }
}

/// An arm that does other work has no ratio that more pairs could tell: one pair tells its own time.
std::vector<std::size_t> without_refused(BlockRun& run, std::vector<std::size_t> turn) {
  std::erase_if(turn, [&](std::size_t at) {
    const bool is_refused = run.arms[at].verified == sweep::Verified::no;
    if (is_refused) run.arms[at].why_stopped = WhyStopped::other_work;
    return is_refused;
  });
  return turn;
}

void run_square(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn) {
  const std::uint64_t rounds =
      run.task.takes_one_pair ? 1 : stats::rounds_per_square(turn.size());  // a value is no time
  const auto square = static_cast<std::uint64_t>(run.complete_squares);
  for (std::uint64_t round = 0; round < rounds; ++round) run_round(run, lengths, turn, square * rounds + round);
  ++run.complete_squares;
}

/// The time that must be left for the comparison to go on: for a square of the pair that has started, or for a whole
/// pair.
double next_seconds(const Renewals& renewals, double square_seconds) {
  if (!renewals.is_closed()) return 0;  // half a pair would count for nothing
  return static_cast<double>(renewals.squares_each) * square_seconds + price_of_start(renewals, square_seconds);
}

/// Why the comparison does not go on after this square; none if it does. `samples`: that the square took.
WhyStopped why_stopped(const BlockRun& run, const Comparison& comparison, std::size_t samples) {
  const Renewals& renewals = comparison.renewals;
  const double spent_seconds = run.active_seconds + renewals.paid_seconds;
  if (spent_seconds + next_seconds(renewals, comparison.square_seconds) > comparison.budget_seconds)
    return WhyStopped::time_spent;
  const bool is_late = !renewals.is_closed() && run.left_seconds() <= 0;  // half a pair would count for nothing
  if (is_late) return WhyStopped::wall_time_spent;
  const bool keeps_calls = sweep::is_latency(run.task.measure.metric);  // joined neighbours are no single calls
  return keeps_calls && !has_room(run, samples) ? WhyStopped::time_spent : WhyStopped::none;
}

/// Whether each of its arms has told a value, and no more are wanted. A worker's first process gives none.
bool has_its_pair(const BlockRun& run, const Comparison& comparison) {
  return run.task.takes_one_pair && std::ranges::none_of(comparison.turn, [&](std::size_t at) {
           return run.is_living(at) && run.arms[at].process_values.empty();
         });
}

bool is_compared(const BlockRun& run, const Comparison& comparison) {
  return comparison.turn.size() > 1 && run.is_living(comparison.turn.front());
}

void tell(BlockRun& run, const Comparison& comparison) {
  const double left_seconds = comparison.budget_seconds - run.active_seconds - comparison.renewals.paid_seconds;
  tell_squares(run, {comparison.renewals, comparison.served, comparison.turn, comparison.square_seconds,
                     left_seconds / comparison.square_seconds});
}

/// One square and, if it is the last one of its pair, what is decided by then.
void take_square(BlockRun& run, Comparison& comparison) {
  comparison.served = comparison.turn.size();
  const double before = run.active_seconds;
  const std::size_t samples_before = run.samples.size();
  correct_lengths(run, comparison.lengths);
  run_square(run, comparison.lengths, comparison.turn);
  Renewals& renewals = comparison.renewals;
  ++renewals.served;
  comparison.square_seconds = run.active_seconds - before;
  comparison.longest_seconds = std::max(comparison.longest_seconds, comparison.square_seconds);
  // Nobody looks inside a pair: whether its last squares count must not depend on them.
  if (renewals.is_closed()) comparison.turn = without_refused(run, std::move(comparison.turn));
  if (renewals.is_closed() && renewals.pairs >= pairs_of_a_verdict && is_compared(run, comparison))
    comparison.turn = without_decided(run, comparison.turn);
  if (!is_compared(run, comparison))
    comparison.is_over = true;
  else if (has_its_pair(run, comparison))
    stop(run, comparison, WhyStopped::one_pair);
  else if (const auto why = why_stopped(run, comparison, run.samples.size() - samples_before); why != WhyStopped::none)
    stop(run, comparison, why);
}

}  // namespace

void stop(BlockRun& run, Comparison& comparison, WhyStopped why) {
  stop_arms(run, why);
  comparison.is_over = true;
}

std::optional<Comparison> begin_measuring(BlockRun& run) {
  const double budget_seconds = std::min(run.task.wanted_seconds, std::max(run.left_seconds(), 0.0));
  const double planning_seconds = std::min(run.task.planning_seconds, budget_seconds);
  SliceLengths lengths = planned_lengths(run, planning_seconds);
  if (!run.is_sequential()) {
    run_planned_rounds(run, lengths);
    if (run.task.has_baseline)
      stop_arms(run, run.task.measure.slices ? WhyStopped::fixed_slices : WhyStopped::time_spent);
    return std::nullopt;
  }
  if (!run.task.measure.steps) adapt_lengths(run, lengths, planning_seconds);
  leave_if_interrupted(run);
  const double affordable_squares = budget_seconds / std::max(square_seconds(run, lengths), 1e-6);
  Comparison comparison;
  comparison.renewals = planned_renewals(run, lengths, affordable_squares);
  comparison.lengths = std::move(lengths);
  comparison.turn = run.living;
  comparison.budget_seconds = budget_seconds;
  comparison.is_over = !is_compared(run, comparison);
  return comparison;
}

void serve_pair(BlockRun& run, Comparison& comparison) {
  while (!comparison.is_over) {
    take_square(run, comparison);
    if (comparison.is_over || comparison.renewals.is_closed()) return;
    if (is_interrupted(run)) return stop(run, comparison, WhyStopped::interrupted);
    tell(run, comparison);
  }
}

void begin_pair(BlockRun& run, Comparison& comparison) {
  tell(run, comparison);
  renew_processes(run, comparison.lengths, comparison.turn, comparison.square_seconds, comparison.renewals);
  tell(run, comparison);
}

double pair_seconds(const Comparison& comparison, bool with_start) {
  const Renewals& renewals = comparison.renewals;
  return renewals.start_seconds - (with_start ? 0 : renewals.import_seconds) +
         static_cast<double>(renewals.squares_each) * comparison.longest_seconds;
}

}  // namespace regatta::measure
