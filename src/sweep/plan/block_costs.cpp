#include "regatta/sweep/block_costs.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/stats/process_pairs.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slices.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/work_per_step.hpp"

namespace regatta::sweep {
namespace {

namespace rules = stats::rules;

constexpr double pilot_seconds = 0.4;     // pilot, same work and pilot rounds of an arm
constexpr double renewal_seconds = 0.06;  // a fresh process's warm-up, and the end of the one before it
constexpr double kept_seconds = 0.5;      // a process that starts more slowly stays for the next block
constexpr double most_pairs = 1e6;
constexpr auto enough_pairs = static_cast<double>(rules::enough_process_pairs);
constexpr StartTimes usual_framework = {.start = 1.5, .prepare = 0.3, .first_step = 0.2};

/// Whether an earlier block left the process warm that this arm begins with. Blocks of one arm share theirs.
bool is_warm(Warm& warm, const Plan& plan, const Block& block, std::size_t at, double start_seconds) {
  const bool is_alone = block.arms.size() == 1;
  const std::string& engine = text_of(plan.trials[block.arms[at].value].parameters, Param::engine);
  const std::pair<std::size_t, std::string> key{is_alone ? 0 : at + 1, engine};
  if (warm.contains(key)) return true;
  if (is_alone || start_seconds >= kept_seconds) warm.insert(key);
  return false;
}

/// Where processes of the block may begin while others are prepared: on as many cores as any of them needs.
std::size_t places_beside(const Plan& plan, const Block& block, std::size_t cores) {
  std::int64_t threads = 1;
  for (const TrialIndex arm : block.arms) threads = std::max(threads, threads_of(plan.trials[arm.value].parameters));
  return cores / static_cast<std::size_t>(threads) - (cores >= static_cast<std::size_t>(threads) ? 1 : 0);
}

/// `unknown`: how a process starts of which nothing is known.
std::optional<BlockCosts> costs_with(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts,
                                     Warm& warm, const std::optional<StartTimes>& unknown) {
  BlockCosts costs;
  costs.is_compared = block.has_baseline && block.arms.size() > 1;
  costs.takes_one_pair = block.takes_one_pair;
  costs.wanted = wanted_seconds(sweep, block);
  costs.planning = planning_seconds(sweep, block);
  const auto sharers = static_cast<double>(starts.shared_by(block.index).blocks);
  std::vector<double> imports;
  double rest = 0;
  for (std::size_t at = 0; at < block.arms.size(); ++at) {
    const std::size_t trial = block.arms[at].value;
    const bool is_known = trial < starts.of_trials.size() && starts.of_trials[trial];
    const std::optional<StartTimes>& times = is_known ? starts.of_trials[trial] : unknown;
    if (!times) return std::nullopt;
    const double import = times->start / sharers;
    const double begun = sharers == 1 && is_warm(warm, plan, block, at, times->start) ? 0 : import;
    costs.prepare += begun + times->prepare + times->first_step + pilot_seconds;
    imports.push_back(import);
    rest += times->prepare + times->first_step + renewal_seconds;
  }
  costs.start = stats::side_by_side_seconds(imports, rest, 0);
  costs.side_by_side = stats::side_by_side_seconds(imports, rest, places_beside(plan, block, starts.cores));
  return costs;
}

/// A pair of processes after the first one: side by side, where that saves time.
double later_start_seconds(const BlockCosts& costs) {
  return costs.start > rules::slow_start_seconds ? costs.side_by_side : costs.start;
}

/// All arms against each other once.
double square_seconds(const BlockCosts& costs, double planning_seconds, std::size_t arms) {
  const double slice = stats::wanted_slice_seconds(costs.start, planning_seconds, arms) + rules::reentry_seconds;
  return static_cast<double>(arms * stats::rounds_per_square(arms)) * slice;
}

/// The costs of a pair of processes, in seconds.
struct PairCosts {
  double measuring = 0;
  double start = 0;        ///< among the first ones, that are timed if there are enough
  double later_start = 0;  ///< beyond enough of them
};

/// Pairs beyond those that are timed: for the first of them a start is reckoned as the ones before it.
double later_pairs(double seconds, double first_seconds, double each_seconds) {
  if (seconds < first_seconds) return 0;
  return 1 + std::floor(std::max(0.0, seconds - each_seconds) / each_seconds);
}

/// Pairs that the active time of a comparison holds: from enough on, starts count as far as they take longer than
/// measuring.
double affordable_pairs(double budget_seconds, const PairCosts& pair) {
  const double fit = std::floor(budget_seconds / pair.measuring);
  if (fit <= enough_pairs) return fit;
  return enough_pairs + later_pairs(budget_seconds - enough_pairs * pair.measuring,
                                    std::max(pair.measuring, pair.start), std::max(pair.measuring, pair.later_start));
}

/// Pairs that fit into the time that is left once the processes of the first one stand.
double fitting_pairs(double left_seconds, const PairCosts& pair) {
  const double beside_first = std::max(0.0, left_seconds - pair.measuring);
  const double each = pair.start + pair.measuring;
  const double fit = 1 + std::floor(beside_first / each);
  if (fit <= enough_pairs) return fit;
  return enough_pairs + later_pairs(beside_first - (enough_pairs - 1) * each, each, pair.later_start + pair.measuring);
}

/// Slices that the sweep fixes are measured whatever they take.
double pairs_of(const Measure& measure, std::size_t arms, double squares_each, double by_time) {
  if (!measure.slices) return by_time;
  const double squares =
      std::floor(static_cast<double>(*measure.slices) / static_cast<double>(stats::rounds_per_square(arms)));
  return std::ceil(squares / squares_each);
}

}  // namespace

SharedProcesses Starts::shared_by(BlockIndex block) const {
  return block.value < shared.size() ? shared[block.value] : SharedProcesses{};
}

std::optional<BlockCosts> costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts,
                                   Warm& warm) {
  return costs_with(sweep, plan, block, starts, warm, std::nullopt);
}

std::optional<BlockCosts> costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts) {
  Warm warm;
  return costs_of(sweep, plan, block, starts, warm);
}

BlockCosts guessed_costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts) {
  Warm warm;
  return *costs_with(sweep, plan, block, starts, warm, usual_framework);
}

BlockForecast forecast_of(const Measure& measure, const BlockCosts& costs, std::size_t arms, double wall_seconds) {
  if (!costs.is_compared) return {0, costs.prepare + costs.wanted, false};
  const double left = std::max(0.0, wall_seconds - costs.prepare);
  const double budget = std::min(costs.wanted, left);
  const double square = square_seconds(costs, std::min(costs.planning, budget), arms);
  const double start = later_start_seconds(costs);
  const stats::PairPrice price{square, start / square, budget / square, left / square};
  const bool is_of_values = is_of_processes(measure.metric);  // one of each process
  const double squares = is_of_values ? 1 : static_cast<double>(stats::squares_per_pair(price));
  const PairCosts pair{squares * square, is_of_values ? costs.start : start, start};
  const double by_time = costs.takes_one_pair ? 1 : std::min(fitting_pairs(left, pair), affordable_pairs(budget, pair));
  const double pairs = std::clamp(pairs_of(measure, arms, squares, by_time), 1.0, most_pairs);
  const double first = std::min(pairs, enough_pairs);
  const double starts = (first - 1) * pair.start + (pairs - first) * pair.later_start;
  return {static_cast<std::int64_t>(pairs), costs.prepare + pairs * pair.measuring + starts, costs.start > square};
}

double least_seconds(const Measure& measure, const BlockCosts& costs, std::size_t arms) {
  if (!costs.is_compared) return costs.prepare + costs.wanted;
  const bool is_of_values = is_of_processes(measure.metric);  // one of each process
  const double pairs = costs.takes_one_pair ? 1 : static_cast<double>(rules::fewest_process_pairs);
  const double squares = is_of_values ? pairs : pairs * rules::least_squares_each;
  const double start = is_of_values ? costs.start : later_start_seconds(costs);
  return costs.prepare + (pairs - 1) * start + squares * square_seconds(costs, costs.planning, arms);
}

}  // namespace regatta::sweep
