#include "regatta/stats/cold_starts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/summaries.hpp"
#include "stats/contrast_blocks.hpp"

namespace regatta::stats {
namespace {

/// The known parts of the start of an arm's present process.
struct Beginning {
  std::optional<double> start, prepare;
  bool is_warm = false;
  std::optional<std::uint32_t> first_slice;
  std::uint32_t processes = 0;  ///< processes that made a first step
};

void take(Beginning& arm, const Sample& sample, std::vector<ColdStart>& found) {
  switch (sample.phase) {
    case Phase::start:
      arm.start = sample.seconds;
      arm.prepare.reset();
      return;
    case Phase::prepare:
      arm.prepare = sample.seconds;
      arm.is_warm = (sample.flags & warm_caches) != 0;
      return;
    case Phase::first:
      if (arm.first_slice == sample.slice) return;  // its first call is the first sample
      arm.first_slice = sample.slice;
      if (arm.start && arm.prepare)
        found.push_back({arm.processes, *arm.start, *arm.prepare, sample.seconds, arm.is_warm});
      arm.start.reset();
      arm.prepare.reset();
      ++arm.processes;
      return;
    default:
      return;
  }
}

constexpr double never = std::numeric_limits<double>::infinity();

std::optional<ColdStart> start_of(std::span<const ColdStart> starts, std::uint32_t process) {
  const auto found = std::ranges::find(starts, process, &ColdStart::process);
  return found == starts.end() ? std::nullopt : std::optional(*found);
}

double cost(const PairCosts& pair) { return pair.cold_a - pair.cold_b; }
double saving(const PairCosts& pair) { return pair.step_b - pair.step_a; }

/// When a of this pair has caught up.
double steps_to_pay(const PairCosts& pair) {
  if (cost(pair) <= 0) return 0;
  return saving(pair) > 0 ? cost(pair) / saving(pair) : never;
}

/// How far a is behind after so many steps; its sign for `never`.
double behind(const PairCosts& pair, double steps) {
  if (std::isfinite(steps)) return cost(pair) - steps * saving(pair);
  return saving(pair) != 0 ? -saving(pair) : cost(pair);
}

/// Whether a being ahead as often as behind after so many steps is not refuted.
bool may_be_even(std::span<const PairCosts> pairs, double steps, std::size_t rank) {
  std::size_t not_ahead = 0;
  std::size_t not_behind = 0;
  for (const PairCosts& pair : pairs) {
    const double by = behind(pair, steps);
    not_ahead += by >= 0 ? 1 : 0;
    not_behind += by <= 0 ? 1 : 0;
  }
  return not_ahead >= rank && not_behind >= rank;
}

/// The sign of a pair changes at most once, at `cost / saving`: between those numbers nothing changes.
std::vector<double> places_of_change(std::span<const PairCosts> pairs) {
  std::vector<double> places = {0, never};
  for (const PairCosts& pair : pairs) {
    const double at = cost(pair) / saving(pair);
    if (std::isfinite(at) && at > 0) places.push_back(at);
  }
  std::ranges::sort(places);
  return places;
}

Range range_of(std::span<const PairCosts> pairs, double alpha) {
  const std::size_t rank = sign_rank(pairs.size(), alpha);
  if (rank == 0) return {};
  Range range{never, -never};
  for (const double steps : places_of_change(pairs)) {
    if (!may_be_even(pairs, steps, rank)) continue;
    range.low = std::min(range.low, steps);
    range.high = std::max(range.high, steps);
  }
  if (!range.empty()) return range;
  const bool is_behind = std::ranges::count_if(pairs, [](const auto& pair) { return cost(pair) > 0; }) * 2 >
                         static_cast<std::ptrdiff_t>(pairs.size());
  return is_behind ? Range{never, never} : Range{0, 0};  // one of both is ahead from the start on
}

/// The middle one, of an even number the mean of both.
double middle(std::vector<double> steps) {
  std::ranges::sort(steps);
  const double upper = steps[steps.size() / 2];
  const double lower = steps[(steps.size() - 1) / 2];
  return std::isfinite(upper) ? (lower + upper) / 2 : never;
}

}  // namespace

std::vector<std::vector<ColdStart>> cold_starts(std::span<const Sample> block, std::size_t arms) {
  std::vector<std::vector<ColdStart>> found(arms);
  std::vector<Beginning> beginnings(arms);
  for (const Sample& sample : block)
    if (sample.arm < arms && sample.rank == 0) take(beginnings[sample.arm], sample, found[sample.arm]);
  return found;
}

Estimate cold_start(std::span<const ColdStart> starts, double alpha) {
  std::vector<double> seconds;
  for (const ColdStart& each : starts) seconds.push_back(each.seconds());
  return {median(seconds), sign_interval(seconds, alpha)};
}

std::vector<ColdStart> those_with(std::span<const ColdStart> starts, bool is_warm) {
  std::vector<ColdStart> found;
  std::ranges::copy_if(starts, std::back_inserter(found),
                       [&](const ColdStart& each) { return each.is_warm == is_warm; });
  return found;
}

std::vector<PairCosts> pair_costs(const ContrastSlices& contrast, std::span<const ColdStart> of_a,
                                  std::span<const ColdStart> of_b) {
  std::map<std::size_t, std::vector<Block>> by_pair;
  for (const Block& square : complete_squares(contrast)) by_pair[square.pair].push_back(square);
  std::vector<PairCosts> costs;
  for (const auto& [pair, squares] : by_pair) {
    const auto a = start_of(of_a, squares.front().process_a);
    const auto b = start_of(of_b, squares.front().process_b);
    if (!a || !b) continue;
    const Block all = joined(squares);
    costs.push_back(
        {a->seconds(), b->seconds(), all.a.seconds / all.a.work, all.b.seconds / all.b.work, a->is_warm || b->is_warm});
  }
  return costs;
}

Estimate break_even(std::span<const PairCosts> pairs, double alpha) {
  if (pairs.empty()) return {std::numeric_limits<double>::quiet_NaN(), {}};
  std::vector<double> steps;
  for (const PairCosts& pair : pairs) steps.push_back(steps_to_pay(pair));
  const Range range = range_of(pairs, alpha);
  return {std::clamp(middle(std::move(steps)), range.low, range.high), range};
}

}  // namespace regatta::stats
