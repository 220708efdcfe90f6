#include <algorithm>
#include <cmath>

#include "analysis/contrasts/contrasts.hpp"
#include "regatta/stats/resolution.hpp"

namespace regatta::analysis {
namespace {

std::size_t place_of(const results::BlockRow& block, TrialIndex trial) {
  return static_cast<std::size_t>(std::ranges::find(block.arms, trial) - block.arms.begin());
}

stats::Known known_of(const Contrast& contrast) {
  stats::Known known{std::log(contrast.ratio), {}, contrast.pairs};
  if (contrast.low && contrast.high) known.range = {std::log(*contrast.low), std::log(*contrast.high)};
  return known;
}

}  // namespace

void tell_resolution(Contrast& contrast, const Judge& judge, double needed_evidence) {
  const results::BlockRow& block = judge.results.blocks[contrast.block.value];
  stats::JudgeOptions options = has_replicates(contrast)
                                    ? replicate_options(judge, contrast)
                                    : judge.options_for(contrast.block, place_of(block, contrast.a), 0);
  options.margin = contrast.margin;  // where it is a difference, worked out from its unit
  const stats::Known known = known_of(contrast);
  const double resolution = stats::resolution_of(known, options, needed_evidence);
  if (!std::isfinite(resolution)) return;
  contrast.resolution = resolution;
  Contrast::Outlook outlook{.target = stats::usual_target(options)};
  const bool is_open = contrast.verdict == stats::Verdict::undecided;
  if (is_open) outlook.target = std::max(outlook.target, std::expm1(std::abs(known.estimate)));
  if (resolution <= outlook.target) {
    if (!is_open) return;
    const double delta = stats::indifference(options);  // so near the margin that the verdict needs more than usual
    outlook.target = std::expm1(delta + std::abs(std::abs(known.estimate) - delta));
  }
  if (const auto pairs = stats::pairs_for(outlook.target, known, options, needed_evidence)) {
    const double more = std::max(1.0, static_cast<double>(*pairs) - known.pairs.n);
    outlook.more_pairs = std::llround(more);
    if (!has_replicates(contrast))
      outlook.seconds = more * (block.end_wall_seconds - block.start_wall_seconds) / known.pairs.n;
  }
  contrast.outlook = outlook;
}

}  // namespace regatta::analysis
