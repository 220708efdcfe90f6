#include "analysis/no_contrasts.hpp"

#include <algorithm>
#include <unordered_map>

#include "regatta/base/error.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

/// What the sweep compares; nothing if it compares nothing, or was written for another version of the reader.
std::optional<sweep::Compare> compare_of(const results::Results& results) {
  try {
    return sweep::parse_sweep(results.provenance.sweep_json, results.provenance.sweep_file).compare;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool is_baseline(const sweep::Parameters& parameters, const sweep::Compare& compare) {
  return std::all_of(compare.baseline.begin(), compare.baseline.end(),
                     [&](const auto& wanted) { return parameters[wanted.first] == wanted.second; });
}

/// Where a trial stands: its values outside the comparison, as a key.
std::string stratum_key(const sweep::Parameters& parameters, const Axes& axes, const sweep::Compare& compare) {
  std::string key;
  for (const auto* params : {&axes.arm, &axes.stratum}) {
    for (const Param param : *params) {
      if (std::find(compare.over.begin(), compare.over.end(), param) != compare.over.end()) continue;
      key += sweep::to_json(parameters[param]) + '\n';
    }
  }
  return key;
}

std::string ended(const results::TrialRow& trial) {
  const std::string reason = sweep::reason_of(trial.outcome);
  return std::string(sweep::status_of(trial.outcome)) + (reason.empty() ? "" : ": " + reason);
}

bool finished(const results::TrialRow& trial) { return std::holds_alternative<sweep::Finished>(trial.outcome); }

std::string reason_for(const results::TrialRow& trial, const results::TrialRow* baseline, const Axes& axes) {
  if (!finished(trial)) return ended(trial);
  if (!baseline) return "no baseline here: no trial of the sweep matches it with these values";
  if (!finished(*baseline))
    return "no baseline here: " + trial_label(baseline->parameters, axes) + " " + ended(*baseline);
  return "no scored slice in the same round as the baseline";
}

}  // namespace

std::vector<NoContrast> no_contrasts(const results::Results& results, const Axes& axes,
                                     const std::vector<Contrast>& contrasts) {
  const auto compare = compare_of(results);
  if (!compare) return {};
  std::vector<bool> has_contrast(results.trials.size());
  for (const auto& contrast : contrasts) has_contrast[contrast.a.value] = true;

  std::unordered_map<std::string, const results::TrialRow*> baselines;
  for (const auto& trial : results.trials) {
    if (is_baseline(trial.parameters, *compare)) baselines[stratum_key(trial.parameters, axes, *compare)] = &trial;
  }

  std::vector<NoContrast> missing;
  std::unordered_map<std::string, std::size_t> by_reason;
  for (std::uint32_t index = 0; index < results.trials.size(); ++index) {
    const auto& trial = results.trials[index];
    if (has_contrast[index] || is_baseline(trial.parameters, *compare)) continue;
    const auto found = baselines.find(stratum_key(trial.parameters, axes, *compare));
    const std::string reason = reason_for(trial, found == baselines.end() ? nullptr : found->second, axes);
    const auto [entry, is_new] = by_reason.try_emplace(reason, missing.size());
    if (is_new) missing.push_back({{}, reason});
    missing[entry->second].trials.push_back(TrialIndex{index});
  }
  return missing;
}

}  // namespace regatta::analysis
