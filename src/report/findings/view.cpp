#include "report/findings/view.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "regatta/analysis/values.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::report {

View view_of(const results::Results& results, const analysis::Findings& findings) {
  View view{results,
            findings.contrasts,
            findings.contrasts.axes,
            findings.effects,
            findings.explanations,
            findings.fastest,
            findings.ranks,
            findings.learning,
            {},
            {},
            {}};
  std::unordered_map<std::string, std::size_t> by_label;
  for (std::uint32_t index = 0; index < results.trials.size(); ++index) {
    std::string name = analysis::label(results.trials[index].parameters, view.axes.stratum);
    const auto [entry, is_new] = by_label.try_emplace(name, view.groups.size());
    if (is_new) view.groups.push_back({std::move(name), {}});
    view.groups[entry->second].trials.push_back(TrialIndex{index});
  }

  view.ratio.assign(results.trials.size(), nullptr);
  view.is_baseline.assign(results.trials.size(), false);
  for (const auto& contrast : view.contrasts.contrasts) {
    const auto stands_for = [&](TrialIndex a, TrialIndex b) {
      auto& ratio = view.ratio.at(a.value);
      if (!ratio) ratio = &contrast;
      view.is_baseline.at(b.value) = true;
    };
    stands_for(contrast.a, contrast.b);
    for (const auto& replicate : contrast.replicates) stands_for(replicate.a, replicate.b);
  }
  return view;
}

std::vector<sweep::Param> table_axes(const View& view) {
  std::vector<sweep::Param> all = view.axes.arm;
  for (const auto* params : {&view.axes.stratum, &view.axes.replicates}) {
    for (const auto& param : *params)
      if (std::ranges::find(all, param) == all.end()) all.push_back(param);
  }
  const auto& trials = view.results.trials;
  std::vector<sweep::Param> varying;
  std::ranges::copy_if(all, std::back_inserter(varying), [&](const sweep::Param& param) {
    return std::ranges::any_of(
        trials, [&](const auto& trial) { return trial.parameters[param] != trials.front().parameters[param]; });
  });
  return varying.empty() ? all : varying;
}

std::vector<sweep::Param> arm_axes(const View& view) {
  std::vector<sweep::Param> axes = table_axes(view);
  std::erase_if(axes, [&](const sweep::Param& param) { return std::ranges::count(view.axes.stratum, param) > 0; });
  return axes;
}

bool each_stands_alone(const View& view) {
  return view.groups.size() > 1 && view.groups.size() == view.results.trials.size();
}

bool any_has(const View& view, const std::string& metric) {
  return std::ranges::any_of(view.results.trials,
                             [&](const auto& trial) { return analysis::metric(trial, metric).has_value(); });
}

results::TrialRow typical_trial(const View& view, const analysis::Contrast* contrast, TrialIndex first,
                                TrialIndex analysis::Contrast::Replicate::*arm) {
  results::TrialRow typical = view.results.trials[first.value];
  if (contrast == nullptr || !has_replicates(*contrast)) return typical;
  for (auto& [name, value] : typical.metrics) {
    std::vector<double> values;
    for (const analysis::Contrast::Replicate& replicate : contrast->replicates)
      if (const auto one = analysis::metric(view.results.trials[(replicate.*arm).value], name)) values.push_back(*one);
    if (!values.empty()) value = stats::median(std::move(values));
  }
  return typical;
}

std::string arm_of(const View& view, TrialIndex trial) {
  return analysis::arm_label(view.results.trials[trial.value].parameters, view.axes);
}

}  // namespace regatta::report
