#include "regatta/analysis/contrasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/no_contrasts.hpp"
#include "analysis/slice_values.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/wording.hpp"
#include "regatta/stats/summary.hpp"

namespace regatta::analysis {
namespace {

constexpr double confidence = 0.95;
constexpr std::size_t fewest_rounds_for_interval = 3;

/// The batch of both if they differ, so that time is taken per sample; else 1 and 1, and time is per step.
struct Work {
  double of_a = 1;
  double of_b = 1;
  bool per_sample = false;
};

Work work_of(const sweep::Parameters& a, const sweep::Parameters& b) {
  const auto* batch_a = std::get_if<std::int64_t>(&a[sweep::Param::batch]);
  const auto* batch_b = std::get_if<std::int64_t>(&b[sweep::Param::batch]);
  if (!batch_a || !batch_b || *batch_a == *batch_b || *batch_a <= 0 || *batch_b <= 0) return {};
  return {static_cast<double>(*batch_a), static_cast<double>(*batch_b), true};
}

/// log(time a / time b), one for each round in which both ran.
std::vector<double> log_ratios(const std::vector<double>& a, const std::vector<double>& b, const Work& work) {
  std::vector<double> logs;
  for (std::size_t round = 0; round < std::min(a.size(), b.size()); ++round) {
    const double ratio = a[round] / work.of_a / (b[round] / work.of_b);
    if (std::isfinite(ratio) && ratio > 0) logs.push_back(std::log(ratio));
  }
  return logs;
}

void add_flags(std::vector<std::string>& flags, std::string_view list) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string flag(list.substr(0, comma));
    if (!flag.empty() && std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

std::string_view device_flags(const results::Results& results, const results::TrialRow& trial) {
  const auto device = static_cast<std::size_t>(trial.device);
  return trial.device >= 0 && device < results.devices.size() ? results.devices[device].flags : std::string_view();
}

std::string sentence(const Contrast& contrast, const results::Results& results, const Axes& axes) {
  const auto& a = results.trials[contrast.a.value].parameters;
  const auto& b = results.trials[contrast.b.value].parameters;
  const std::string where = label(b, axes.stratum);
  std::string text = fmt::format("{} takes {} the {} of {}", label(a, axes.arm), ratio_text(contrast.ratio),
                                 contrast.per_sample ? "time per sample" : "time", label(b, axes.arm));
  if (!where.empty()) text += " at " + where;
  const std::string interval = interval_text(contrast.low, contrast.high);
  if (!interval.empty()) text += " " + interval;
  return text + fmt::format(" ({} {})", contrast.rounds, contrast.rounds == 1 ? "round" : "rounds");
}

std::optional<Contrast> contrast_of(const results::Results& results, const SliceValues& slices, BlockIndex block,
                                    TrialIndex a, TrialIndex b) {
  const auto& row_a = results.trials.at(a.value);
  const auto& row_b = results.trials.at(b.value);
  const auto finished = [](const auto& row) { return std::holds_alternative<sweep::Finished>(row.outcome); };
  if (!finished(row_a) || !finished(row_b)) return std::nullopt;
  const ArmValues& values_a = slices.of(block, a);
  const ArmValues& values_b = slices.of(block, b);
  const Work work = work_of(row_a.parameters, row_b.parameters);
  const auto logs = log_ratios(values_a.seconds_per_step, values_b.seconds_per_step, work);
  if (logs.empty()) return std::nullopt;

  Contrast contrast;
  contrast.a = a;
  contrast.b = b;
  contrast.block = block;
  contrast.ratio = std::exp(*stats::mean(logs));
  contrast.rounds = static_cast<std::int64_t>(logs.size());
  contrast.per_sample = work.per_sample;
  const auto interval =
      logs.size() < fewest_rounds_for_interval ? std::nullopt : stats::mean_interval(logs, confidence);
  if (interval) {
    contrast.low = std::exp(interval->low);
    contrast.high = std::exp(interval->high);
  }
  add_flags(contrast.flags, results.blocks[block.value].flags);
  add_flags(contrast.flags, device_flags(results, row_a));
  if (values_a.disturbed || values_b.disturbed) add_flags(contrast.flags, "disturbed");
  return contrast;
}

}  // namespace

Contrasts contrasts(const results::Results& results) {
  const SliceValues slices(results.samples);
  const Axes axes = axes_of(results);
  Contrasts found;
  for (std::uint32_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (!block.has_baseline) continue;
    for (std::size_t arm = 1; arm < block.arms.size(); ++arm) {
      auto contrast = contrast_of(results, slices, BlockIndex{index}, block.arms[arm], block.arms.front());
      if (!contrast) continue;
      contrast->text = sentence(*contrast, results, axes);
      found.contrasts.push_back(std::move(*contrast));
    }
  }
  found.missing = no_contrasts(results, axes, found.contrasts);
  return found;
}

}  // namespace regatta::analysis
