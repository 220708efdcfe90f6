#include "regatta/analysis/contrast.hpp"

#include <cmath>

namespace regatta::analysis {

std::string_view verdict_word(stats::Verdict verdict, sweep::Metric metric) {
  if (verdict == stats::Verdict::faster) return sweep::info(metric).less;
  return verdict == stats::Verdict::slower ? sweep::info(metric).more : stats::verdict_name(verdict);
}

std::string metric_name(const Contrasts& contrasts, sweep::Metric metric) {
  return contrasts.result ? contrasts.result->name : std::string(sweep::info(metric).name);
}

std::string metric_unit(const Contrasts& contrasts, sweep::Metric metric) {
  return contrasts.result ? contrasts.result_unit : std::string(sweep::info(metric).unit);
}

std::string verdict_text(const Contrast& contrast) {
  return std::string(verdict_word(contrast.verdict, contrast.metric));
}

JudgedRatio judged_ratio(const Contrast& contrast) {
  return {contrast.ratio,      contrast.low,    contrast.high,      contrast.verdict,
          !contrast.confirmed, contrast.metric, contrast.difference};
}

JudgedRatio judged_ratio(const CloneCheck& clone) {
  JudgedRatio judged;
  judged.ratio = clone.ratio;
  judged.low = clone.low;
  judged.high = clone.high;
  judged.verdict = clone.verdict;
  return judged;
}

bool hangs_on_disturbed(const Contrast& contrast) {
  constexpr std::int64_t fewest_squares = 5;
  if (!contrast.undisturbed || contrast.undisturbed->squares < fewest_squares) return false;
  const stats::Verdict other = contrast.undisturbed->verdict;
  return contrast.verdict != stats::Verdict::undecided && other != stats::Verdict::undecided &&
         other != contrast.verdict;
}

bool has_replicates(const Contrast& contrast) { return !contrast.replicates.empty(); }

std::vector<BlockIndex> blocks_of(const Contrast& contrast) {
  if (!has_replicates(contrast)) return {contrast.block};
  std::vector<BlockIndex> blocks;
  for (const Contrast::Replicate& replicate : contrast.replicates) blocks.push_back(replicate.block);
  return blocks;
}

bool can_be_decided(const Contrast& contrast) {
  return !contrast.flags.has(stats::Flag::cores_shared) && !has_replicates(contrast);
}

bool can_be_confirmed(const Contrast& contrast) {
  return is_early(contrast) && can_be_decided(contrast) && !has_fixed_slices(contrast);
}

std::string why_stopped_text(const Contrast& contrast) {
  std::string text;
  for (const sweep::WhyStopped why : contrast.why_stopped)
    text += (text.empty() ? "" : ",") + std::string(to_string(why));
  return text;
}

bool stopped_for(const Contrast& contrast, sweep::WhyStopped why) {
  return contrast.why_stopped.size() == 1 && contrast.why_stopped.front() == why;
}

bool has_fixed_slices(const Contrast& contrast) { return stopped_for(contrast, sweep::WhyStopped::fixed_slices); }

sweep::Scale scale_of(const Contrast& contrast) {
  return contrast.difference ? sweep::Scale::difference : sweep::Scale::ratio;
}

std::optional<double> resolution_in_unit(const Contrast& contrast) {
  if (!contrast.difference || !contrast.resolution) return std::nullopt;
  return contrast.difference->unit * std::log1p(*contrast.resolution);
}

std::optional<stats::Estimate> log_estimate(const Contrast& contrast) {
  if (contrast.difference || !contrast.low || !contrast.high || !(*contrast.low > 0)) return std::nullopt;
  return stats::Estimate{std::log(contrast.ratio), {std::log(*contrast.low), std::log(*contrast.high)}};
}

}  // namespace regatta::analysis
