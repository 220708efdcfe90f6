#include "regatta/sweep/forecast.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "regatta/stats/rules.hpp"
#include "regatta/sweep/block_costs.hpp"

namespace regatta::sweep {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// A block with what it costs, and what it asks of the total.
struct Priced {
  BlockCosts costs;
  std::size_t arms = 0;
  TimeNeed need = {};
  std::size_t slots = 1;   ///< at once, one for each rank
  std::uint32_t tour = 0;  ///< the tour that it goes in
};

struct Slot {
  double busy = 0;
  SlotTime time = {};
};

/// Brings those to the front that are free first; the last of so many, at which a block begins that takes them all.
auto last_of_first(std::vector<Slot>& slots, std::size_t count) {
  const auto last = slots.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(count, 1, slots.size())) - 1;
  std::ranges::nth_element(slots, last, {}, &Slot::busy);
  return last;
}

/// One pass over all blocks, each on the slots that are free first. Time that a block leaves of its share, or takes
/// beyond it, goes to all later ones of its slot.
Forecast walk(const Measure& measure, const std::vector<Priced>& blocks, const Sharing& sharing,
              std::optional<double> total) {
  std::vector<Slot> slots(std::max<std::size_t>(1, sharing.slots));
  Forecast whole;
  for (const Priced& block : blocks) {
    const auto last = last_of_first(slots, block.slots);
    const double share = total ? share_seconds(block.need, sharing, *total) : no_limit;
    const double wall = total ? block_seconds(last->time, share, *total) : share;
    const BlockForecast each = forecast_of(measure, block.costs, block.arms, wall);
    const double end = last->busy + each.seconds;
    std::for_each(slots.begin(), last + 1, [end](Slot& slot) { slot.busy = end; });
    if (total) note_block(last->time, share, each.seconds);
    whole.seconds = std::max(whole.seconds, end);
    whole.starts_slow |= each.starts_slow;
    if (each.pairs > 0) whole.pairs = whole.pairs == 0 ? each.pairs : std::min(whole.pairs, each.pairs);
  }
  return whole;
}

bool has_enough(const Forecast& forecast) {
  return static_cast<std::size_t>(forecast.pairs) >= stats::rules::enough_process_pairs;
}

/// Blocks of one tour have their second pair after the first one of all.
double first_answers_seconds(const Measure& measure, const std::vector<Priced>& blocks) {
  const auto first = std::ranges::find_if(blocks, [](const Priced& block) { return block.costs.is_compared; });
  if (first == blocks.end()) return 0;
  if (first->tour == 0) return least_seconds(measure, first->costs, first->arms);
  double seconds = 0;
  for (const Priced& block : blocks)
    if (block.tour == first->tour) seconds += least_seconds(measure, block.costs, block.arms);
  return seconds;
}

/// The least total that leaves each block enough pairs.
double enough_seconds(const Measure& measure, const std::vector<Priced>& blocks, const Sharing& sharing) {
  double high = 1;
  for (constexpr double most = 1e9; high < most && !has_enough(walk(measure, blocks, sharing, high));) high *= 2;
  double low = high / 2;
  for (int halvings = 0; halvings < 10; ++halvings) {
    const double middle = (low + high) / 2;
    (has_enough(walk(measure, blocks, sharing, middle)) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::optional<Forecast> foretell(const Sweep& sweep, const Plan& plan, const Sharing& sharing,
                                 const HashSet& finished) {
  std::vector<Priced> blocks;
  Warm warm;
  for (const Block& block : plan.blocks) {
    // Clones are measured in time that is left, or once all others are.
    const bool is_left_out = block.has_clone ? sweep.measure.total_seconds.has_value() : finished.contains(block.hash);
    if (is_left_out) continue;
    const auto costs = costs_of(sweep, plan, block, sharing.starts, warm);
    if (!costs) return std::nullopt;
    blocks.push_back({*costs, block.arms.size(), need_of(sweep, plan, block, sharing.starts),
                      static_cast<std::size_t>(block.demand.ranks), sharing.starts.shared_by(block.index).tour});
  }
  const auto total = sweep.measure.total_seconds;
  Forecast forecast = walk(sweep.measure, blocks, sharing, total);
  forecast.first_seconds = first_answers_seconds(sweep.measure, blocks);
  if (!total || forecast.pairs == 0) return forecast;
  const Forecast without = walk(sweep.measure, blocks, sharing, std::nullopt);
  forecast.is_cut = forecast.pairs < without.pairs;
  if (!has_enough(forecast) && has_enough(without))
    forecast.enough_seconds = enough_seconds(sweep.measure, blocks, sharing);
  return forecast;
}

}  // namespace regatta::sweep
