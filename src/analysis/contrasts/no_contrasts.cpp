#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/contrasts/contrasts.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

bool is_baseline(const sweep::Parameters& parameters, const sweep::Compare& compare) {
  return std::all_of(compare.baseline.begin(), compare.baseline.end(),
                     [&](const auto& wanted) { return parameters[wanted.first] == wanted.second; });
}

/// The parameters that vary outside the comparison.
std::vector<Param> setting_params(const Axes& axes, const sweep::Compare& compare) {
  std::vector<Param> found;
  for (const auto* params : {&axes.arm, &axes.stratum, &axes.replicates}) {
    for (const Param param : *params)
      if (std::find(compare.over.begin(), compare.over.end(), param) == compare.over.end()) found.push_back(param);
  }
  return found;
}

/// The values of a trial outside the comparison, as a key.
std::string setting_key(const sweep::Parameters& parameters, const std::vector<Param>& setting) {
  std::string key;
  for (const Param param : setting) key += sweep::to_json(parameters[param]) + '\n';
  return key;
}

/// Whether two arms have the same setting: one that does not read a parameter belongs to every level of it.
bool share_setting(const sweep::Parameters& a, const sweep::Parameters& b, const std::vector<Param>& setting) {
  return std::all_of(setting.begin(), setting.end(), [&](const Param param) {
    const auto is_read = [&](const sweep::Parameters& one) { return one[param] != sweep::Value(); };
    return a[param] == b[param] || !is_read(a) || !is_read(b);
  });
}

class Baselines {
 public:
  Baselines(const std::vector<results::TrialRow>& trials, const Axes& axes, const sweep::Compare& compare)
      : trials_(trials), setting_(setting_params(axes, compare)) {
    for (std::uint32_t index = 0; index < trials.size(); ++index) {
      const sweep::Parameters& parameters = trials[index].parameters;
      if (!is_baseline(parameters, compare)) continue;
      by_key_[setting_key(parameters, setting_)] = TrialIndex{index};
      all_.push_back(TrialIndex{index});
    }
  }

  /// Nothing if no trial matches the baseline in the setting of this one.
  [[nodiscard]] std::optional<TrialIndex> of(const sweep::Parameters& trial) const {
    const auto known = by_key_.find(setting_key(trial, setting_));
    if (known != by_key_.end()) return known->second;
    const auto found = std::ranges::find_if(
        all_, [&](TrialIndex each) { return share_setting(trials_[each.value].parameters, trial, setting_); });
    return found == all_.end() ? std::nullopt : std::optional(*found);
  }

 private:
  const std::vector<results::TrialRow>& trials_;
  std::vector<Param> setting_;
  std::unordered_map<std::string, TrialIndex> by_key_;
  std::vector<TrialIndex> all_;
};

bool finished(const results::TrialRow& trial) { return std::holds_alternative<sweep::Finished>(trial.outcome); }

NoContrast no_contrast(TrialIndex trial, const Baselines& baselines, const Judge& judge) {
  const auto row = [&](TrialIndex index) -> const results::TrialRow& { return judge.results.trials[index.value]; };
  const auto because = [&](NoContrastReason why, TrialIndex of) { return NoContrast{trial, why, of}; };
  if (!finished(row(trial))) return because(NoContrastReason::not_finished, trial);
  const std::optional<TrialIndex> baseline = baselines.of(row(trial).parameters);
  if (!baseline) return because(NoContrastReason::no_baseline, trial);
  if (!finished(row(*baseline))) return because(NoContrastReason::baseline_not_finished, *baseline);
  for (const TrialIndex each : {trial, *baseline})
    if (row(each).verified == sweep::Verified::no) return because(NoContrastReason::other_work, each);
  if (judge.result()) return because(NoContrastReason::no_result, trial);
  if (!sweep::is_step_time(judge.metric())) return because(NoContrastReason::no_value, trial);
  if (judge.spec->measure.slices) return {trial, NoContrastReason::few_slices, trial, *judge.spec->measure.slices};
  return because(NoContrastReason::no_square, trial);
}

}  // namespace

std::vector<NoContrast> no_contrasts(const Judge& judge, const std::vector<Contrast>& contrasts) {
  if (!judge.spec || !judge.spec->compare) return {};
  const results::Results& results = judge.results;
  const auto& compare = judge.spec->compare;
  std::vector<bool> has_contrast(results.trials.size());
  const auto take = [&](TrialIndex a, TrialIndex b) {
    has_contrast[a.value] = true;
    if (compare->pairs != sweep::Pairs::baseline) has_contrast[b.value] = true;
  };
  for (const auto& contrast : contrasts) {
    take(contrast.a, contrast.b);
    for (const Contrast::Replicate& replicate : contrast.replicates) take(replicate.a, replicate.b);
  }

  const Baselines baselines(results.trials, judge.axes, *compare);
  std::vector<NoContrast> missing;
  for (std::uint32_t index = 0; index < results.trials.size(); ++index) {
    if (has_contrast[index] || is_baseline(results.trials[index].parameters, *compare)) continue;
    missing.push_back(no_contrast(TrialIndex{index}, baselines, judge));
  }
  return missing;
}

}  // namespace regatta::analysis
