#include "analysis/contrasts/no_contrasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace regatta::analysis {
namespace {

using sweep::Param;

bool is_baseline(const sweep::Parameters& parameters, const sweep::Compare& compare) {
  return std::all_of(compare.baseline.begin(), compare.baseline.end(),
                     [&](const auto& wanted) { return parameters[wanted.first] == wanted.second; });
}

/// What varies outside the comparison.
std::vector<Param> setting_params(const Axes& axes, const sweep::Compare& compare) {
  std::vector<Param> found;
  for (const auto* params : {&axes.arm, &axes.stratum, &axes.replicates}) {
    for (const Param param : *params)
      if (std::find(compare.over.begin(), compare.over.end(), param) == compare.over.end()) found.push_back(param);
  }
  return found;
}

/// Where a trial stands: its values outside the comparison, as a key.
std::string setting_key(const sweep::Parameters& parameters, const std::vector<Param>& setting) {
  std::string key;
  for (const Param param : setting) key += sweep::to_json(parameters[param]) + '\n';
  return key;
}

/// An arm that does not read a parameter stands beside the arms of every level of it.
bool stand_beside(const sweep::Parameters& a, const sweep::Parameters& b, const std::vector<Param>& setting) {
  return std::all_of(setting.begin(), setting.end(), [&](const Param param) {
    const auto is_read = [&](const sweep::Parameters& one) { return one[param] != sweep::Value(); };
    return a[param] == b[param] || !is_read(a) || !is_read(b);
  });
}

class Baselines {
 public:
  Baselines(const std::vector<results::TrialRow>& trials, const Axes& axes, const sweep::Compare& compare)
      : setting_(setting_params(axes, compare)) {
    for (const auto& trial : trials) {
      if (!is_baseline(trial.parameters, compare)) continue;
      by_key_[setting_key(trial.parameters, setting_)] = &trial;
      all_.push_back(&trial);
    }
  }

  /// Null if no trial matches the baseline in the setting of this one.
  [[nodiscard]] const results::TrialRow* of(const sweep::Parameters& trial) const {
    const auto known = by_key_.find(setting_key(trial, setting_));
    if (known != by_key_.end()) return known->second;
    const auto beside = std::find_if(all_.begin(), all_.end(), [&](const results::TrialRow* each) {
      return stand_beside(each->parameters, trial, setting_);
    });
    return beside == all_.end() ? nullptr : *beside;
  }

 private:
  std::vector<Param> setting_;
  std::unordered_map<std::string, const results::TrialRow*> by_key_;
  std::vector<const results::TrialRow*> all_;
};

std::string ended(const results::TrialRow& trial) {
  const std::string reason = sweep::reason_of(trial.outcome);
  return std::string(sweep::status_of(trial.outcome)) + (reason.empty() ? "" : ": " + reason);
}

bool finished(const results::TrialRow& trial) { return std::holds_alternative<sweep::Finished>(trial.outcome); }

std::string reason_for(const results::TrialRow& trial, const Baselines& baselines, const Judge& judge) {
  const Axes& axes = judge.axes;
  if (!finished(trial)) return ended(trial);
  const results::TrialRow* const baseline = baselines.of(trial.parameters);
  if (!baseline) return "no baseline here: no trial of the sweep matches it with these values";
  if (!finished(*baseline))
    return "no baseline here: " + trial_label(baseline->parameters, axes) + " " + ended(*baseline);
  for (const auto* row : {&trial, baseline}) {
    if (row->verified == sweep::Verified::no)
      return fmt::format("not compared: {} does not do the same work ({})", trial_label(row->parameters, axes),
                         sweep::text_of(row->facts, sweep::Fact::verified_detail));
  }
  if (const auto compared = judge.result())
    return fmt::format(
        "not compared: it, or its baseline, has no value of {} in each run that is a finite number, or it was measured "
        "for another metric: then run the sweep with another --out",
        compared->name);
  if (!sweep::is_step_time(judge.metric()))
    return fmt::format(
        "not compared: it gave no value of {} (too little time, or it was measured for another metric: then run the "
        "sweep with another --out)",
        sweep::info(judge.metric()).name);
  if (judge.spec->measure.slices)
    return fmt::format(
        "no complete square of slices beside the baseline: \"slices\" in \"measure\" is {}, and a square takes two of "
        "each arm; raise it, or leave it out",
        *judge.spec->measure.slices);
  return "no complete square of slices beside the baseline";
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
  std::unordered_map<std::string, std::size_t> by_reason;
  for (std::uint32_t index = 0; index < results.trials.size(); ++index) {
    const auto& trial = results.trials[index];
    if (has_contrast[index] || is_baseline(trial.parameters, *compare)) continue;
    const std::string reason = reason_for(trial, baselines, judge);
    const auto [entry, is_new] = by_reason.try_emplace(reason, missing.size());
    if (is_new) missing.push_back({{}, reason});
    missing[entry->second].trials.push_back(TrialIndex{index});
  }
  return missing;
}

}  // namespace regatta::analysis
