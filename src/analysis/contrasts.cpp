#include "regatta/analysis/contrasts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "analysis/block_values.hpp"
#include "analysis/floors.hpp"
#include "analysis/no_contrasts.hpp"
#include "analysis/pilot_findings.hpp"
#include "analysis/spec.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/wording.hpp"
#include "regatta/stats/clones.hpp"
#include "regatta/stats/many_contrasts.hpp"
#include "regatta/sweep/judging.hpp"

namespace regatta::analysis {
namespace {

using stats::Verdict;

std::string_view device_flags(const results::Results& results, const results::TrialRow& trial) {
  const auto device = static_cast<std::size_t>(trial.device);
  return trial.device >= 0 && device < results.devices.size() ? results.devices[device].flags : std::string_view();
}

std::string range_text(const Contrast& contrast) {
  const std::string interval = interval_text(contrast.low, contrast.high);
  return interval.empty() ? "" : " " + interval;
}

/// "native graph is 2.10x faster than numpy", "... and numpy: same (+0.3 %)".
std::string finding(const Contrast& contrast, const std::string& a, const std::string& b) {
  const char* time = contrast.per_sample ? "time per sample" : "time";
  const std::string doubt = contrast.survives ? "" : "?";
  switch (contrast.verdict) {
    case Verdict::same:
      return fmt::format("{} and {}: same{} ({:+.1f} % {}", a, b, doubt, 100 * (contrast.ratio - 1), time) +
             range_text(contrast) + fmt::format(", margin {:g} %)", 100 * std::max(contrast.margin, contrast.floor));
    case Verdict::faster:
    case Verdict::slower:
      return fmt::format("{} takes {} the {} of {}: {}{}", a, ratio_text(contrast.ratio), time, b,
                         contrast.verdict == Verdict::faster ? "faster" : "slower", doubt) +
             range_text(contrast);
    case Verdict::undecided:
      break;
  }
  return fmt::format("{} takes {} the {} of {}: undecided", a, ratio_text(contrast.ratio), time, b) +
         range_text(contrast);
}

std::string sentence(const Contrast& contrast, const results::Results& results, const Axes& axes) {
  const auto& a = results.trials[contrast.a.value].parameters;
  const auto& b = results.trials[contrast.b.value].parameters;
  const std::string where = label(b, axes.stratum);
  std::string text = finding(contrast, label(a, axes.arm), label(b, axes.arm));
  if (!where.empty()) text += " at " + where;
  return text;
}

/// What every contrast of a file is judged by.
struct Bench {
  const results::Results& results;
  std::vector<BlockValues> values;
  std::vector<BlockFindings> findings;
  stats::JudgeOptions options;
  bool fixed_slices = false;
  sweep::Metric metric;
  Floors floors;
};

Bench bench_of(const results::Results& results) {
  const auto spec = spec_of(results);
  const stats::JudgeOptions options = spec ? sweep::judge_options(spec->measure) : stats::JudgeOptions{};
  auto values = block_values(results);
  Floors floors(results, values, options);
  return {results,
          std::move(values),
          pilot_findings(results, options),
          options,
          spec && spec->measure.slices.has_value(),
          spec ? spec->measure.metric : sweep::Measure{}.metric,
          std::move(floors)};
}

void add_judgement_flags(std::vector<std::string>& flags, const stats::Judgement& judgement) {
  for (const auto& [flag, name] : stats::judgement_flag_names) {
    if (judgement.has(flag)) flags.emplace_back(name);
  }
}

/// Cores that others share make every verdict a matter of luck (design, section 3); times that depend on the length of
/// a call are no step times (R6).
bool has_no_verdict(const Contrast& contrast) {
  return !can_be_decided(contrast) || std::ranges::find(contrast.flags, depends_on_call_length) != contrast.flags.end();
}

std::string why_stopped(const Bench& bench, const stats::Judgement& judgement) {
  if (bench.fixed_slices) return "fixed slices";
  return judgement.precise ? "decided" : "time spent";
}

void take(Contrast& contrast, const stats::Judgement& judgement) {
  contrast.ratio = std::exp(judgement.estimate);
  contrast.ratio_of_medians = std::exp(judgement.median_steps_estimate);
  if (std::isfinite(judgement.low) && std::isfinite(judgement.high) && judgement.low <= judgement.high) {
    contrast.low = std::exp(judgement.low);
    contrast.high = std::exp(judgement.high);
  }
  contrast.squares = static_cast<std::int64_t>(judgement.squares);
  contrast.processes = 2 * static_cast<std::int64_t>(judgement.process_pairs);
  contrast.verdict = judgement.verdict;
  contrast.e_value = judgement.e_value;
  add_judgement_flags(contrast.flags, judgement);
}

/// A command and what computes nothing have none.
bool differ_in_precision(const sweep::Parameters& a, const sweep::Parameters& b) {
  const sweep::Value& one = a[sweep::Param::precision];
  const sweep::Value& other = b[sweep::Param::precision];
  return one != other && one != sweep::Value() && other != sweep::Value();
}

std::optional<Contrast> contrast_of(const Bench& bench, BlockIndex block, std::size_t arm) {
  const results::Results& results = bench.results;
  const results::BlockRow& row = results.blocks[block.value];
  Contrast contrast;
  contrast.a = row.arms[arm];
  contrast.b = row.arms.front();
  contrast.block = block;
  const auto& row_a = results.trials.at(contrast.a.value);
  const auto& row_b = results.trials.at(contrast.b.value);
  const auto fits = [](const auto& trial) {
    return std::holds_alternative<sweep::Finished>(trial.outcome) && trial.verified != sweep::Verified::no;
  };
  const BlockValues& values = bench.values[block.value];
  if (!fits(row_a) || !fits(row_b) || values.empty()) return std::nullopt;
  stats::JudgeOptions options = bench.options;
  options.floor = bench.floors.floor_of(row_a, row_b);
  options.process_effect = bench.floors.process_effect_of(row_a, row_b);
  const auto judgement = stats::judge({values[arm], values.front()}, options);
  if (!std::isfinite(judgement.estimate)) return std::nullopt;
  contrast.margin = options.margin;
  contrast.floor = options.floor;
  contrast.per_sample = is_per_sample(results, row, bench.metric);
  contrast.why_stopped = why_stopped(bench, judgement);
  if (differ_in_precision(row_a.parameters, row_b.parameters)) contrast.flags.emplace_back(different_arithmetic);
  add_flags(contrast.flags, row.flags);
  add_flags(contrast.flags, device_flags(results, row_a));
  take(contrast, judgement);
  for (const std::size_t of : {std::size_t{0}, arm}) add_flags(contrast.flags, bench.findings[block.value][of]);
  if (has_no_verdict(contrast)) contrast.verdict = Verdict::undecided;
  return contrast;
}

/// Differences that many looks would find anyway get a question mark (R12), and so do small ones where identical code
/// was told apart (R5).
void control_false_discoveries(std::vector<Contrast>& contrasts, const Bench& bench) {
  std::vector<double> e_values;
  for (const Contrast& contrast : contrasts) e_values.push_back(contrast.e_value);
  const auto discovered = stats::e_benjamini_hochberg(e_values, bench.options.alpha);
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    Contrast& contrast = contrasts[i];
    if (contrast.verdict != Verdict::faster && contrast.verdict != Verdict::slower) continue;
    const double delta = stats::indifference({.margin = contrast.margin, .floor = contrast.floor});
    contrast.survives = discovered[i] && !stats::doubted(std::log(contrast.ratio), bench.floors.identical(), delta);
  }
}

}  // namespace

std::vector<results::ContrastRow> contrast_rows(const Contrasts& contrasts) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<results::ContrastRow> rows;
  for (const Contrast& contrast : contrasts.contrasts) {
    rows.push_back({contrast.block, contrast.a, contrast.b, contrast.ratio, contrast.low.value_or(unknown),
                    contrast.high.value_or(unknown), contrast.margin, contrast.floor, contrast.e_value,
                    contrast.squares, contrast.processes, verdict_text(contrast), contrast.why_stopped,
                    fmt::format("{}", fmt::join(contrast.flags, ",")), contrast.text});
  }
  return rows;
}

Contrasts contrasts(const results::Results& results) {
  const Axes axes = axes_of(results);
  const Bench bench = bench_of(results);
  Contrasts found;
  for (std::uint32_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (!block.has_baseline) continue;
    for (std::size_t arm = 1; arm < block.arms.size() - (block.has_clone ? 1 : 0); ++arm) {
      if (auto contrast = contrast_of(bench, BlockIndex{index}, arm)) found.contrasts.push_back(std::move(*contrast));
    }
  }
  control_false_discoveries(found.contrasts, bench);
  for (Contrast& contrast : found.contrasts) contrast.text = sentence(contrast, results, axes);
  found.identical = bench.floors.identical();
  found.clones = bench.floors.clones();
  found.missing = no_contrasts(results, axes, found.contrasts);
  return found;
}

}  // namespace regatta::analysis
