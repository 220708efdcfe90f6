#include "regatta/analysis/contrast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace regatta::analysis {

std::string_view verdict_word(stats::Verdict verdict, sweep::Metric metric) {
  if (verdict == stats::Verdict::faster) return sweep::info(metric).less;
  return verdict == stats::Verdict::slower ? sweep::info(metric).more : stats::verdict_name(verdict);
}

std::string noun_of(const Contrast& contrast) {
  if (contrast.metric == sweep::Metric::time_to_n) return fmt::format("time to {} steps", contrast.steps_from_start);
  return std::string(sweep::info(contrast.metric).noun);
}

std::string verdict_text(const Contrast& contrast) {
  return std::string(verdict_word(contrast.verdict, contrast.metric)) + (contrast.survives ? "" : "?");
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
