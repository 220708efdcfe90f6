#include "analysis/contrasts/outlook.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/stats/pilot.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

constexpr std::size_t most_pairs = 200;  // nobody waits for more

/// Pairs until half an interval is as long as the way from the estimate to the nearest end of what counts as no
/// difference; nothing where no number of pairs is enough.
std::optional<std::size_t> pairs_needed(const std::vector<double>& logs, double estimate,
                                        const stats::JudgeOptions& options) {
  const double way = std::abs(std::abs(estimate) - stats::indifference(options)) - options.call_length_misfit;
  if (!(way > 0)) return std::nullopt;
  const std::size_t units = stats::expected_units(stats::robust_spread(logs), way, options.alpha, most_pairs);
  if (units >= most_pairs) return std::nullopt;
  return std::max(units, stats::rules::enough_process_pairs);
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
