#include "regatta/sweep/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "regatta/stats/process_pairs.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/judging.hpp"

namespace regatta::sweep {
namespace {

namespace rules = stats::rules;

constexpr double pilot_seconds = 0.4;     // pilot, same work and pilot rounds of an arm
constexpr double renewal_seconds = 0.06;  // a fresh process's warm-up, and the end of the one before it
constexpr double kept_seconds = 0.5;      // a process that starts more slowly stays for the next block
constexpr double most_pairs = 1e6;
constexpr auto enough_pairs = static_cast<double>(rules::enough_process_pairs);

using Warm = std::set<std::pair<std::size_t, std::string>>;

/// A block with what it costs.
struct Priced {
  BlockCosts costs;
  std::size_t arms = 0;
  double share = 1;  ///< what it may take of the total
};

/// Whether an earlier block left the process warm that this arm begins with. Blocks of one arm share theirs.
bool is_warm(Warm& warm, const Plan& plan, const Block& block, std::size_t at, double start_seconds) {
  const bool is_alone = block.arms.size() == 1;
  const std::string& engine = text_of(plan.trials[block.arms[at].value].parameters, Param::engine);
  const std::pair<std::size_t, std::string> key{is_alone ? 0 : at + 1, engine};
  if (warm.contains(key)) return true;
  if (is_alone || start_seconds >= kept_seconds) warm.insert(key);
  return false;
}

std::optional<BlockCosts> costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts,
                                   Warm& warm) {
  BlockCosts costs;
  costs.is_compared = block.has_baseline && block.arms.size() > 1;
  costs.wanted = wanted_seconds(sweep, block);
  for (std::size_t at = 0; at < block.arms.size(); ++at) {
    const std::size_t trial = block.arms[at].value;
    if (trial >= starts.size() || !starts[trial]) return std::nullopt;
    const StartTimes& known = *starts[trial];
    const double begun = is_warm(warm, plan, block, at, known.start) ? 0 : known.start;
    costs.prepare += begun + known.prepare + known.first_step + pilot_seconds;
    costs.start += known.start + known.prepare + known.first_step + renewal_seconds;
    costs.told_start += known.start + known.prepare + renewal_seconds;
  }
  return costs;
}

/// Pairs of processes that the active time of a comparison holds: from enough on, starts count as far as they take
/// longer than measuring.
double affordable_pairs(double budget_seconds, double pair_seconds, double start_seconds) {
  const double fit = std::floor(budget_seconds / pair_seconds);
  if (fit <= enough_pairs) return fit;
  return enough_pairs +
         std::floor((budget_seconds - enough_pairs * pair_seconds) / std::max(pair_seconds, start_seconds));
}

/// Slices that the sweep fixes are measured whatever they take.
double pairs_of(const Measure& measure, std::size_t arms, double squares_each, double by_time) {
  if (!measure.slices) return by_time;
  const double squares = std::floor(static_cast<double>(*measure.slices) / static_cast<double>(arms));
  return std::ceil(squares / squares_each);
}

double wall_of(const Priced& block, std::optional<double> total) {
  return total ? *total * block.share : std::numeric_limits<double>::infinity();
}

/// One pass over all blocks, each on the slot that is free first. What a block leaves of its share, or takes beyond it,
/// goes to the next ones of its slot.
Forecast walk(const Measure& measure, const std::vector<Priced>& blocks, std::size_t slots,
              std::optional<double> total) {
  struct Slot {
    double busy = 0;
    double unused = 0;
  };
  std::vector<Slot> all(std::clamp<std::size_t>(slots, 1, std::max<std::size_t>(1, blocks.size())));
  Forecast whole;
  for (const Priced& block : blocks) {
    Slot& slot = *std::ranges::min_element(all, {}, &Slot::busy);
    const double share = wall_of(block, total);
    const BlockForecast each = forecast_of(measure, block.costs, block.arms, share + slot.unused);
    slot.busy += each.seconds;
    if (total) slot.unused += share - each.seconds;
    whole.starts_slow |= each.starts_slow;
    if (each.pairs > 0) whole.pairs = whole.pairs == 0 ? each.pairs : std::min(whole.pairs, each.pairs);
  }
  for (const Slot& slot : all) whole.seconds = std::max(whole.seconds, slot.busy);
  return whole;
}

bool has_enough(const Forecast& forecast) { return static_cast<double>(forecast.pairs) >= enough_pairs; }

/// The least total that leaves each block enough pairs.
double enough_seconds(const Measure& measure, const std::vector<Priced>& blocks, std::size_t slots) {
  double high = 1;
  for (constexpr double most = 1e9; high < most && !has_enough(walk(measure, blocks, slots, high));) high *= 2;
  double low = high / 2;
  for (int halvings = 0; halvings < 10; ++halvings) {
    const double middle = (low + high) / 2;
    (has_enough(walk(measure, blocks, slots, middle)) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::optional<BlockCosts> costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts) {
  Warm warm;
  return costs_of(sweep, plan, block, starts, warm);
}

BlockForecast forecast_of(const Measure& measure, const BlockCosts& costs, std::size_t arms, double wall_seconds) {
  if (!costs.is_compared) return {0, costs.prepare + costs.wanted, false};
  const double left = std::max(0.0, wall_seconds - costs.prepare);
  const double budget = std::min(costs.wanted, left);
  const double slice = stats::wanted_slice_seconds(costs.told_start, budget, arms) + rules::reentry_seconds;
  const double square = static_cast<double>(arms * arms) * slice;
  const stats::PairPrice price{costs.told_start / square, budget / square, left / square};
  const auto squares = static_cast<double>(
      is_of_processes(measure.metric) ? 1 : stats::squares_per_pair({}, price, judge_options(measure)));
  const double pair = squares * square;
  const double by_wall = 1 + std::floor(std::max(0.0, left - pair) / (costs.start + pair));
  const double by_time = std::min(by_wall, affordable_pairs(budget, pair, costs.start));
  const double pairs = std::clamp(pairs_of(measure, arms, squares, by_time), 1.0, most_pairs);
  return {static_cast<std::int64_t>(pairs), costs.prepare + pairs * pair + (pairs - 1) * costs.start,
          costs.start > square};
}

std::optional<Forecast> foretell(const Sweep& sweep, const Plan& plan, const Sharing& sharing, const Starts& starts,
                                 const std::set<Hash128>& finished) {
  std::vector<Priced> blocks;
  Warm warm;
  for (const Block& block : plan.blocks) {
    if (finished.contains(block.hash)) continue;
    const auto costs = costs_of(sweep, plan, block, starts, warm);
    if (!costs) return std::nullopt;
    blocks.push_back({*costs, block.arms.size(), wall_share(block, sharing)});
  }
  const auto total = sweep.measure.total_seconds;
  Forecast forecast = walk(sweep.measure, blocks, sharing.slots, total);
  if (!total || forecast.pairs == 0) return forecast;
  const Forecast without = walk(sweep.measure, blocks, sharing.slots, std::nullopt);
  forecast.is_cut = forecast.pairs < without.pairs;
  if (!has_enough(forecast) && has_enough(without))
    forecast.enough_seconds = enough_seconds(sweep.measure, blocks, sharing.slots);
  return forecast;
}

}  // namespace regatta::sweep
