#include "regatta/analysis/contrast.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace regatta::analysis {

std::string_view verdict_word(stats::Verdict verdict, sweep::Metric metric) {
  if (verdict == stats::Verdict::faster) return sweep::info(metric).less;
  return verdict == stats::Verdict::slower ? sweep::info(metric).more : stats::verdict_name(verdict);
}

std::string noun_of(const Contrast& contrast) {
  if (contrast.metric == sweep::Metric::time_to_n) return fmt::format("time to {} steps", contrast.steps_from_start);
  return contrast.result.empty() ? std::string(sweep::info(contrast.metric).noun) : contrast.result;
}

std::string metric_name(const Contrasts& contrasts, sweep::Metric metric) {
  return contrasts.result ? contrasts.result->name : std::string(sweep::info(metric).name);
}

std::string metric_unit(const Contrasts& contrasts, sweep::Metric metric) {
  return contrasts.result ? contrasts.result_unit : std::string(sweep::info(metric).unit);
}

std::string in_measure(const Contrast& contrast) {
  if (contrast.metric == sweep::Metric::time_per_step) return "";
  return contrast.metric == sweep::Metric::time_per_sample ? " per sample" : " in " + noun_of(contrast);
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

std::string evidence_text(const Contrast& contrast) {
  std::string text = fmt::format("{} x {}", contrast.processes / 2, contrast.fewest_squares);
  if (contrast.most_squares > contrast.fewest_squares) text += fmt::format(" to {}", contrast.most_squares);
  return text;
}

bool has_replicates(const Contrast& contrast) { return !contrast.replicates.empty(); }

std::vector<BlockIndex> blocks_of(const Contrast& contrast) {
  if (!has_replicates(contrast)) return {contrast.block};
  std::vector<BlockIndex> blocks;
  for (const Contrast::Replicate& replicate : contrast.replicates) blocks.push_back(replicate.block);
  return blocks;
}

std::string replicates_text(const Contrast& contrast) {
  if (!has_replicates(contrast)) return "";
  std::vector<std::string_view> names;
  for (const sweep::Param& param : contrast.replicate_axes) names.push_back(sweep::name_of(param));
  const std::size_t count = contrast.replicates.size();
  const bool has_plural = names.size() == 1 && !names.front().ends_with('s');
  return has_plural ? fmt::format("{} {}s", count, names.front())
                    : fmt::format("{} replicates ({})", count, fmt::join(names, ", "));
}

bool can_be_decided(const Contrast& contrast) {
  return !contrast.flags.has(stats::Flag::cores_shared) && !has_replicates(contrast);
}

bool can_be_confirmed(const Contrast& contrast) {
  return is_early(contrast) && can_be_decided(contrast) && !has_fixed_slices(contrast);
}

bool has_fixed_slices(const Contrast& contrast) { return contrast.why_stopped == "fixed slices"; }

sweep::Scale scale_of(const Contrast& contrast) {
  return contrast.difference ? sweep::Scale::difference : sweep::Scale::ratio;
}

std::optional<double> resolution_in_unit(const Contrast& contrast) {
  if (!contrast.difference || !contrast.resolution) return std::nullopt;
  return contrast.difference->unit * std::log1p(*contrast.resolution);
}

std::string margin_text(const Contrast& contrast) {
  if (contrast.difference) return fmt::format("{:.3g}", contrast.difference->margin);
  return fmt::format("{:.3g} %", 100 * contrast.margin);
}

std::optional<stats::Estimate> log_estimate(const Contrast& contrast) {
  if (contrast.difference || !contrast.low || !contrast.high || !(*contrast.low > 0)) return std::nullopt;
  return stats::Estimate{std::log(contrast.ratio), {std::log(*contrast.low), std::log(*contrast.high)}};
}

}  // namespace regatta::analysis
