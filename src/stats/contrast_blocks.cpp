#include "stats/contrast_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "regatta/stats/quantiles.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

using Slices = std::vector<const SliceValue*>;

struct Square {
  Slices a, b;
};

std::map<std::uint32_t, Square> squares_of(const ContrastSlices& contrast) {
  std::map<std::uint32_t, Square> squares;
  for (const SliceValue& slice : contrast.a) squares[slice.square].a.push_back(&slice);
  for (const SliceValue& slice : contrast.b) squares[slice.square].b.push_back(&slice);
  return squares;
}

std::uint64_t sum_of_places(const Slices& slices) {
  std::uint64_t sum = 0;
  for (const SliceValue* slice : slices) sum += slice->position;
  return sum;
}

/// Whether both arms have equally many slices, at the same mean place.
bool complete(const Square& square) {
  return !square.a.empty() && square.a.size() == square.b.size() && sum_of_places(square.a) == sum_of_places(square.b);
}

void add(ArmTotals& totals, const ArmTotals& more) {
  totals.seconds += more.seconds;
  totals.work += more.work;
  totals.median_step_seconds += more.median_step_seconds;
  totals.slices += more.slices;
  totals.medians_known &= more.medians_known;
  totals.calls.insert(totals.calls.end(), more.calls.begin(), more.calls.end());
  totals.quantile = std::max(totals.quantile, more.quantile);
}

void add(Block& block, const Block& more) {
  add(block.a, more.a);
  add(block.b, more.b);
  block.disturbed |= more.disturbed;
}

ArmTotals totals(const Slices& slices) {
  ArmTotals sum;
  for (const SliceValue* slice : slices) {
    add(sum, {slice->seconds, slice->work, slice->median_step_seconds, 1, slice->median_step_seconds > 0, slice->calls,
              slice->quantile});
  }
  return sum;
}

/// First and last.
std::pair<std::uint32_t, std::uint32_t> processes(const Slices& slices) {
  const auto [least, most] =
      std::minmax_element(slices.begin(), slices.end(), [](auto* x, auto* y) { return x->process < y->process; });
  return {(*least)->process, (*most)->process};
}

/// Numbers pairs in the order of time. A pair ends when both arms have a new process: a process that meets two
/// others is still one replicate.
class PairCounter {
 public:
  std::size_t pair_of(const Square& square) {
    const auto [first_a, last_a] = processes(square.a);
    const auto [first_b, last_b] = processes(square.b);
    if (started_ && first_a > last_a_ && first_b > last_b_) ++pair_;
    last_a_ = started_ ? std::max(last_a_, last_a) : last_a;
    last_b_ = started_ ? std::max(last_b_, last_b) : last_b;
    started_ = true;
    return pair_;
  }

 private:
  bool started_ = false;
  std::uint32_t last_a_ = 0, last_b_ = 0;
  std::size_t pair_ = 0;
};

/// Seconds per work, or the quantile.
double value_of(const ArmTotals& arm) {
  return arm.quantile > 0 ? median_unbiased_quantile(arm.calls, arm.quantile) : arm.seconds / arm.work;
}

bool has_enough_calls(const ArmTotals& arm) {
  return arm.quantile == 0 || arm.calls.size() >= fewest_calls_of_unit(arm.quantile);
}

void add(Pair& pair, const Pair& more) {
  add(pair.total, more.total);
  pair.squares.insert(pair.squares.end(), more.squares.begin(), more.squares.end());
}

/// Neighbours joined until both arms have enough calls; those at the end that have not are left out.
std::vector<Pair> with_enough_calls(const std::vector<Pair>& pairs) {
  std::vector<Pair> units;
  bool is_open = false;
  for (const Pair& pair : pairs) {
    if (is_open)
      add(units.back(), pair);
    else
      units.push_back(pair);
    is_open = !has_enough_calls(units.back().total.a) || !has_enough_calls(units.back().total.b);
  }
  if (is_open) units.pop_back();
  return units;
}

std::vector<double> logs_of(const Pair& pair) {
  std::vector<double> logs;
  for (const Block& square : pair.squares) logs.push_back(log_ratio(square));
  return logs;
}

/// How far squares are off their pair, in the log ratio of its totals to first order: the sum of squares.
double scatter_of(const Pair& pair) {
  const auto count = static_cast<double>(pair.squares.size());
  const double mean_a = pair.total.a.seconds / pair.total.a.work;
  const double mean_b = pair.total.b.seconds / pair.total.b.work;
  double sum = 0, sum_squares = 0;
  for (const Block& square : pair.squares) {
    const double off = square.a.seconds / square.a.work / mean_a - square.b.seconds / square.b.work / mean_b;
    sum += off;
    sum_squares += off * off;
  }
  return std::max(0.0, sum_squares - sum * sum / count);
}

bool flagged(const Slices& slices) {
  return std::any_of(slices.begin(), slices.end(), [](const SliceValue* slice) { return slice->flags != 0; });
}

}  // namespace

std::vector<Block> complete_squares(const ContrastSlices& contrast) {
  std::vector<Block> blocks;
  PairCounter pairs;
  for (const auto& [number, square] : squares_of(contrast)) {
    if (!complete(square)) continue;
    Block block{totals(square.a),          totals(square.b),         0, flagged(square.a) || flagged(square.b),
                processes(square.a).first, processes(square.b).first};
    if (!std::isfinite(log_ratio(block))) continue;  // below the clock: no ratio
    block.pair = pairs.pair_of(square);
    blocks.push_back(block);
  }
  return blocks;
}

Block joined(const std::vector<Block>& blocks) {
  Block sum;
  for (const Block& block : blocks) add(sum, block);
  return sum;
}

std::vector<Pair> pairs_of(const std::vector<Block>& squares) {
  std::vector<Pair> pairs;
  for (const Block& square : squares) {
    if (pairs.empty() || pairs.back().total.pair != square.pair)
      pairs.push_back({square, {square}});
    else
      add(pairs.back(), {square, {square}});
  }
  return pairs;
}

std::vector<Pair> closed_pairs(const std::vector<Block>& squares) {
  std::vector<Pair> pairs = pairs_of(squares);
  const auto is_longer = [&](const Pair& pair) { return pairs.back().squares.size() < pair.squares.size(); };
  if (pairs.size() > 1 && std::all_of(pairs.begin(), pairs.end() - 1, is_longer)) pairs.pop_back();
  return with_enough_calls(pairs);
}

double within_variance(std::span<const Pair> pairs) {
  double scatter = 0, degrees = 0, squares = 0;
  for (const Pair& pair : pairs) {
    squares += static_cast<double>(pair.squares.size());
    if (pair.squares.size() < 2 || pair.total.a.quantile > 0) continue;
    scatter += scatter_of(pair);
    degrees += static_cast<double>(pair.squares.size()) - 1;
  }
  if (degrees == 0) return 0;
  return rules::neighbours_alike * scatter / degrees * static_cast<double>(pairs.size()) / squares;
}

double typical_log_ratio(const Pair& pair) { return median(logs_of(pair)); }

double typical_within_variance(std::span<const Pair> pairs) {
  constexpr double of_normal = 1.0483;  // standard deviation over the median distance of two normal values
  constexpr double of_median = std::numbers::pi / 2;  // variance of a median over that of a mean
  std::vector<double> distances;
  double squares = 0;
  for (const Pair& pair : pairs) {
    const std::vector<double> logs = logs_of(pair);
    squares += static_cast<double>(logs.size());
    if (pair.total.a.quantile > 0) continue;
    for (std::size_t i = 0; i < logs.size(); ++i)
      for (std::size_t j = i + 1; j < logs.size(); ++j) distances.push_back(std::abs(logs[i] - logs[j]));
  }
  if (distances.empty()) return 0;
  const double spread = of_normal * median(std::move(distances));
  return rules::neighbours_alike * of_median * spread * spread * static_cast<double>(pairs.size()) / squares;
}

double log_ratio(const Block& block) { return std::log(value_of(block.a) / value_of(block.b)); }

double median_steps_log_ratio(const Block& block) {
  if (!block.a.medians_known || !block.b.medians_known) return std::numeric_limits<double>::quiet_NaN();
  return std::log(block.a.median_step_seconds / static_cast<double>(block.a.slices)) -
         std::log(block.b.median_step_seconds / static_cast<double>(block.b.slices));
}

}  // namespace regatta::stats
