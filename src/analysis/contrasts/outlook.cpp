#include "analysis/contrasts/outlook.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/pilot.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

constexpr std::size_t most_pairs = 200;  // nobody waits for more

/// Where an interval must lie for the verdict that the estimate points to.
stats::Range decided_range(double estimate, double delta) {
  if (std::abs(estimate) <= delta) return {-delta, delta};
  return estimate > 0 ? stats::Range{.low = delta} : stats::Range{.high = -delta};
}

/// Share of the pairs beyond one end of the range: so many of the pairs to come lie there, too.
double share_beyond(const std::vector<double>& logs, const stats::Range& range) {
  const auto below = std::ranges::count_if(logs, [&](double each) { return each < range.low; });
  const auto above = std::ranges::count_if(logs, [&](double each) { return each > range.high; });
  return static_cast<double>(std::max(below, above)) / static_cast<double>(logs.size());
}

/// Pairs until half an interval is as long as the way from the estimate to the nearest end of what counts as no
/// difference, and its ends are pairs inside of where a verdict lies: one pair that is far off is one of the ends until
/// there are 12. Nothing where no number of pairs is enough.
std::optional<std::size_t> pairs_needed(const std::vector<double>& logs, double estimate,
                                        const stats::JudgeOptions& options) {
  const double delta = stats::indifference(options);
  const double way = std::abs(std::abs(estimate) - delta) - options.call_length_misfit;
  if (!(way > 0)) return std::nullopt;
  const double beyond = share_beyond(logs, decided_range(estimate, delta));
  std::size_t units = std::max(stats::expected_units(stats::robust_spread(logs), way, options.alpha, most_pairs),
                               stats::rules::enough_process_pairs);
  const auto left_inside = [&](std::size_t n) {
    return static_cast<double>(stats::sign_rank(n, options.alpha)) <= beyond * static_cast<double>(n);
  };
  while (units < most_pairs && left_inside(units)) ++units;
  if (units >= most_pairs) return std::nullopt;
  return units;
}

}  // namespace

std::optional<Contrast::Outlook> outlook(const std::vector<ProcessPair>& pairs, double estimate,
                                         const stats::JudgeOptions& options, double block_seconds) {
  if (pairs.empty()) return std::nullopt;
  std::vector<double> logs;
  for (const ProcessPair& pair : pairs) logs.push_back(pair.log_ratio);
  const double middle = stats::median(logs);
  Contrast::Outlook found;
  for (const double each : logs) found.farthest = std::max(found.farthest, std::abs(each - middle));
  const auto needed = pairs_needed(logs, estimate, options);
  if (!needed) return found;
  found.more_pairs =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(*needed) - static_cast<std::int64_t>(pairs.size()));
  found.seconds = block_seconds / static_cast<double>(pairs.size()) * static_cast<double>(found.more_pairs);
  return found;
}

}  // namespace regatta::analysis
