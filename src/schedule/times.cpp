#include "schedule/times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace regatta::schedule {
namespace {

constexpr double newest_share = 0.1;
constexpr double one_in_ten = 1.2816;  // standard deviations
constexpr double unknown_seconds = 1;  // stands for an estimate that nobody has
constexpr double quick_seconds = 0.1;  // the order of shorter ones does not matter
constexpr double noticeable_factor = 1.5;
constexpr std::size_t blocks_per_note = 100;  // blocks that may be lined up anew

/// So that what is too long stands in nobody's way.
bool goes_by_length(const Core& core) { return core.options.longest_first || has_end(core); }

void learn(Factor& factor, double off) {
  const double value = std::log(off);
  const double share = std::max(1.0 / static_cast<double>(++factor.seen), newest_share);
  const double spread_share = std::max(1.0 / (1.0 + static_cast<double>(factor.seen)), newest_share);
  const double distance = factor.seen == 1 ? 0 : value - factor.log_mean;
  factor.log_mean += share * (value - factor.log_mean);
  factor.log_variance = (1 - spread_share) * (factor.log_variance + spread_share * distance * distance);
  factor.mean = std::exp(factor.log_mean);
  factor.likely = std::exp(factor.log_mean + one_in_ten * std::sqrt(factor.log_variance));
}

/// Blocks of which none like them was seen are taken to be off like all others.
const Factor& factor_of(const Core& core, const Estimate& estimate) {
  const Factor& own = core.factors[estimate.alike];
  return own.seen > 0 ? own : core.all;
}

const Estimate& estimate_of(const Core& core, BlockIndex block) {
  return core.estimates[core.blocks[block.value].estimate];
}

double scaled(const Core& core, const Estimate& estimate, double Factor::*by) {
  if (estimate.seconds > 0) return estimate.seconds * factor_of(core, estimate).*by;
  const Factor& own = core.factors[estimate.alike];
  return own.seen > 0 ? unknown_seconds * own.*by : 0;
}

/// Unknown ones go first: they may be long.
std::int8_t shortness(double seconds) {
  if (seconds <= 0) return std::numeric_limits<std::int8_t>::min();
  const int steps = seconds < quick_seconds ? -1 : std::ilogb(seconds / quick_seconds);
  return static_cast<std::int8_t>(-std::min(steps, 100));
}

bool stands_wrongly(double expected, const Factor& factor) {
  const bool is_quick = expected * std::max(factor.lined, factor.mean) < quick_seconds;
  return !is_quick && std::max(factor.lined / factor.mean, factor.mean / factor.lined) > noticeable_factor;
}

void line_up(Core& core) {
  core.noted_since_lined = 0;
  for (Factor& factor : core.factors) factor.lined = factor.seen > 0 ? factor.mean : core.all.mean;
  for (DemandQueue& queue : core.queues) line_up(queue, [&core](BlockIndex block) { return line_key(core, block); });
}

}  // namespace

void note_seconds(Core& core, BlockIndex block, double seconds) {
  if (!(seconds > 0)) return;
  const Estimate& estimate = estimate_of(core, block);
  const double expected = estimate.seconds > 0 ? estimate.seconds : unknown_seconds;
  Factor& factor = core.factors[estimate.alike];
  learn(factor, seconds / expected);
  learn(core.all, seconds / expected);
  ++core.noted_since_lined;
  if (!goes_by_length(core) || core.noted_since_lined < core.waiting / blocks_per_note) return;
  if (stands_wrongly(expected, factor)) line_up(core);
}

double expected_seconds(const Core& core, BlockIndex block) {
  return scaled(core, estimate_of(core, block), &Factor::mean);
}

double learnt_seconds(const Core& core, BlockIndex block) {
  return core.factors[estimate_of(core, block).alike].seen > 0 ? expected_seconds(core, block) : 0;
}

double likely_seconds(const Core& core, BlockIndex block) {
  return scaled(core, estimate_of(core, block), &Factor::likely);
}

double likely_least_seconds(const Core& core, BlockIndex block) {
  return likely_seconds(core, block) * estimate_of(core, block).least_share;
}

LineKey line_key(const Core& core, BlockIndex block) {
  const std::uint8_t stage = core.blocks[block.value].stage;
  if (!goes_by_length(core)) return {stage};
  LineKey key{stage, shortness(expected_seconds(core, block))};
  if (has_end(core)) key.least = shortness(likely_least_seconds(core, block));
  return key;
}

bool fits_before_end(const Core& core, BlockIndex block, double begin_seconds) {
  if (!has_end(core)) return true;
  return begin_seconds + likely_least_seconds(core, block) <= core.options.end_seconds;
}

std::optional<std::size_t> place_before_end(const Core& core, const DemandQueue& queue, double begin_seconds) {
  return first_place(queue, [&](BlockIndex block) { return fits_before_end(core, block, begin_seconds); });
}

double free_at_seconds(const Core& core, AgentId id) {
  return std::max(core.now_seconds, core.agents[id.value].free_at_seconds);
}

}  // namespace regatta::schedule
