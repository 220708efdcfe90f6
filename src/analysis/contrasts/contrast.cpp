#include "regatta/analysis/contrast.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::analysis {

std::string verdict_text(const Contrast& contrast) {
  const sweep::MetricInfo& metric = sweep::info(contrast.metric);
  std::string_view word = stats::verdict_name(contrast.verdict);
  if (contrast.verdict == stats::Verdict::faster) word = metric.less;
  if (contrast.verdict == stats::Verdict::slower) word = metric.more;
  return std::string(word) + (contrast.survives ? "" : "?");
}

bool hangs_on_disturbed(const Contrast& contrast) {
  if (!contrast.undisturbed) return false;
  const double delta = stats::indifference({.margin = contrast.margin, .floor = contrast.floor});
  return std::abs(std::log(contrast.undisturbed->ratio / contrast.ratio)) > delta;
}

bool can_be_decided(const Contrast& contrast) {
  return std::ranges::find(contrast.flags, "cores_shared") == contrast.flags.end();
}

std::optional<stats::Estimate> log_estimate(const Contrast& contrast) {
  if (!contrast.low || !contrast.high || !(*contrast.low > 0)) return std::nullopt;
  return stats::Estimate{std::log(contrast.ratio), {std::log(*contrast.low), std::log(*contrast.high)}};
}

}  // namespace regatta::analysis
