#include "report/findings/view.hpp"

#include <unordered_map>
#include <utility>

namespace regatta::report {

View view_of(const results::Results& results, const analysis::Findings& findings) {
  View view{results,
            findings.contrasts,
            findings.axes,
            findings.effects,
            findings.explanations,
            findings.fastest,
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
    auto& ratio = view.ratio.at(contrast.a.value);
    if (!ratio) ratio = &contrast;
    view.is_baseline.at(contrast.b.value) = true;
  }
  return view;
}

std::string arm_of(const View& view, TrialIndex trial) {
  return analysis::arm_label(view.results.trials[trial.value].parameters, view.axes);
}

}  // namespace regatta::report
