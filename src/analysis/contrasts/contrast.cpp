#include "regatta/analysis/contrast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace regatta::analysis {

std::string verdict_text(const Contrast& contrast) {
  return std::string(stats::verdict_name(contrast.verdict)) + (contrast.survives ? "" : "?");
}

JudgedRatio judged_ratio(const Contrast& contrast) {
  return {contrast.ratio, contrast.low, contrast.high, contrast.verdict, contrast.survives};
}

JudgedRatio judged_ratio(const CloneCheck& clone) { return {clone.ratio, clone.low, clone.high, clone.verdict}; }

bool hangs_on_disturbed(const Contrast& contrast) {
  if (!contrast.undisturbed) return false;
  const double delta = stats::indifference({.margin = contrast.margin, .floor = contrast.floor});
  return std::abs(std::log(contrast.undisturbed->ratio / contrast.ratio)) > delta;
}

std::string evidence_text(const Contrast& contrast) {
  std::string text = fmt::format("{} x {}", contrast.processes / 2, contrast.fewest_squares);
  if (contrast.most_squares > contrast.fewest_squares) text += fmt::format(" to {}", contrast.most_squares);
  return text;
}

bool has_flag(const Contrast& contrast, std::string_view flag) {
  return std::ranges::find(contrast.flags, flag) != contrast.flags.end();
}

bool can_be_decided(const Contrast& contrast) { return !has_flag(contrast, "cores_shared"); }

std::optional<stats::Estimate> log_estimate(const Contrast& contrast) {
  if (!contrast.low || !contrast.high || !(*contrast.low > 0)) return std::nullopt;
  return stats::Estimate{std::log(contrast.ratio), {std::log(*contrast.low), std::log(*contrast.high)}};
}

}  // namespace regatta::analysis
