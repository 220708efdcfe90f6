#include "measuring/slice_loop.hpp"

#include <algorithm>
#include <cmath>

#include "measuring/pilot.hpp"
#include "measuring/slice_lengths.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/judging.hpp"
#include "regatta/sweep/work_per_step.hpp"

namespace regatta::launcher {
namespace {

using stats::Phase;

constexpr std::int64_t fewest_process_pairs = stats::rules::fewest_process_pairs;
constexpr std::int64_t enough_process_pairs = stats::rules::enough_process_pairs;
constexpr std::int64_t squares_to_verdict = stats::rules::fewest_units;

void run_round(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn, std::uint64_t round) {
  const auto square = static_cast<std::uint16_t>(round / turn.size());
  for (const std::uint32_t position : stats::round_order(turn.size(), round, order_seed(run.block))) {
    const std::size_t at = turn[position];
    const double start = steady_seconds();
    for_living(run, at, [&](Arm& arm) { take_slice(run, arm, Phase::steady, lengths.of(at), square); });
    run.active_seconds += steady_seconds() - start;
  }
}

void renew_processes(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn) {
  for (const std::size_t at : turn)
    for_living(run, at, [&](Arm& arm) { renew_process(run, arm, lengths.of(at).reentry_steps); });
}

/// When processes give way to fresh ones. The first pairs serve so few squares that the earliest verdict rests on some
/// of them and a small difference on enough, whatever a start costs; later ones so many that starting takes no more
/// time than measuring.
struct Renewals {
  std::int64_t pairs = 1;
  std::int64_t served = 0;  ///< squares, by the present pair

  [[nodiscard]] bool due(std::int64_t squares_each, std::int64_t expected_squares) const {
    const std::int64_t at_first = std::min(expected_squares, squares_to_verdict) / fewest_process_pairs;
    return served >=
           (pairs < enough_process_pairs ? std::clamp<std::int64_t>(at_first, 1, squares_each) : squares_each);
  }
};

/// As many squares as take the time that the processes of `turn` take to start: those that have left cost nothing.
std::int64_t squares_per_process(const BlockRun& run, const std::vector<std::size_t>& turn, double square_seconds) {
  double start_seconds = 0;
  for (const std::size_t at : turn) start_seconds += run.is_living(at) ? run.arms[at].start_seconds : 0;
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(std::ceil(start_seconds / std::max(square_seconds, 1e-6))));
}

/// Before a square that is not the first.
void renew_if_due(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn,
                  double square_seconds, std::int64_t expected_squares, Renewals& renewals) {
  ++renewals.served;
  if (!renewals.due(squares_per_process(run, turn, square_seconds), expected_squares)) return;
  renew_processes(run, lengths, turn);
  ++renewals.pairs;
  renewals.served = 0;
}

/// As many as the sweep file fixes, or, of arms without a baseline, as the budget gives.
void run_planned_rounds(BlockRun& run, const SliceLengths& lengths) {
  const std::vector<std::size_t> turn = run.living;  // an arm that ends keeps its place in the order
  const bool compares = run.block.has_baseline && turn.size() > 1;
  const auto per_square = std::max<std::int64_t>(1, static_cast<std::int64_t>(turn.size()));
  const std::int64_t squares = lengths.plan.rounds / per_square;
  Renewals renewals;
  for (std::int64_t round = 0; round < lengths.plan.rounds; ++round) {
    if (compares && round > 0 && round % per_square == 0) {
      const double square_seconds = run.active_seconds / static_cast<double>(round / per_square);
      renew_if_due(run, lengths, turn, square_seconds, squares, renewals);
    }
    run_round(run, lengths, turn, static_cast<std::uint64_t>(round));
  }
}

stats::JudgeOptions judge_options(const BlockRun& run) {
  stats::JudgeOptions options = sweep::judge_options(run.bench.sweep.measure);
  options.floor = run.bench.floor;
  options.process_effect = stats::rules::assumed_process_effect;
  return options;
}

/// An explanation is about steps.
std::vector<stats::ArmReading> readings_of(const BlockRun& run) {
  std::vector<std::optional<std::int64_t>> batches;
  for (const Arm& arm : run.arms) batches.push_back(sweep::batch_of(arm.parameters));
  const bool explains = run.block.is_intervention();
  const auto metric = explains ? sweep::Metric::time_per_step : run.bench.sweep.measure.metric;
  const std::vector<double> work = sweep::work_per_step(metric, batches);
  std::vector<stats::ArmReading> readings;
  for (std::size_t i = 0; i < work.size(); ++i) readings.push_back({work[i], !run.arms[i].in_worker()});
  return readings;
}

/// Decided, narrow enough, and with evidence to spare for the other contrasts of the sweep (R12).
bool is_settled(const BlockRun& run, const stats::Judgement& judgement) {
  if (judgement.verdict == stats::Verdict::undecided || !judgement.precise) return false;
  const double spare = run.bench.plan.trials.size() > 2 ? 2 : 1;  // e-BH then passes if half of all are differences
  return judgement.verdict == stats::Verdict::same || judgement.e_value >= spare / judge_options(run).alpha;
}

/// Those of `turn` that go on: the baseline, and every arm whose comparison with it is still open.
std::vector<std::size_t> still_open(const BlockRun& run, const std::vector<std::size_t>& turn) {
  const auto values = stats::slice_values(run.samples, readings_of(run));
  std::vector<std::size_t> open = {turn.front()};
  for (const std::size_t at : turn) {
    if (at == turn.front() || !run.is_living(at)) continue;
    const auto judgement = stats::judge({values[at], values[turn.front()]}, judge_options(run));
    if (!is_settled(run, judgement)) open.push_back(at);
  }
  return open;
}

/// Comparisons with the baseline that have no verdict yet; the clone is none.
std::int64_t undecided_comparisons(const BlockRun& run) {
  if (!run.block.has_baseline || !run.is_living(0)) return 0;
  const auto values = stats::slice_values(run.samples, readings_of(run));
  return std::ranges::count_if(run.living, [&](std::size_t at) {
    const bool is_contrast = at != 0 && at < run.block.distinct_arms();
    return is_contrast &&
           stats::judge({values[at], values[0]}, judge_options(run)).verdict == stats::Verdict::undecided;
  });
}

void run_until_decided(BlockRun& run, const SliceLengths& lengths, double budget_seconds) {
  std::vector<std::size_t> turn = run.living;
  Renewals renewals;
  double square_seconds = 0;
  for (std::int64_t square = 0; turn.size() > 1 && run.is_living(turn.front()); ++square) {
    if (square > 0) renew_if_due(run, lengths, turn, square_seconds, squares_to_verdict, renewals);
    const double before = run.active_seconds;
    const std::uint64_t rounds = turn.size();  // every arm once at each position; an odd square's mirror image follows
    for (std::uint64_t round = 0; round < rounds; ++round)
      run_round(run, lengths, turn, static_cast<std::uint64_t>(square) * rounds + round);
    square_seconds = run.active_seconds - before;
    turn = still_open(run, turn);
    if (run.active_seconds + square_seconds > budget_seconds) return;
  }
}

}  // namespace

void measure(BlockRun& run) {
  const double share_seconds = sweep::block_budget_seconds(run.bench.sweep, run.block, run.bench.sharing_arms);
  const double budget_seconds =
      std::min(sweep::wanted_seconds(run.bench.sweep, run.block), share_seconds + run.bench.unused_seconds);
  SliceLengths lengths = planned_lengths(run, budget_seconds);
  const bool sequential =
      run.block.has_baseline && run.is_living(0) && run.living.size() > 1 && !run.bench.sweep.measure.slices;
  if (sequential) {
    if (!run.bench.sweep.measure.steps) adapt_lengths(run, lengths, budget_seconds);
    run_until_decided(run, lengths, budget_seconds);
    run.bench.unused_seconds = std::max(0.0, run.bench.unused_seconds + share_seconds - run.active_seconds);
  } else {
    run_planned_rounds(run, lengths);
  }
  run.undecided = undecided_comparisons(run);
}

}  // namespace regatta::launcher
