#include "report/view.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "regatta/analysis/wording.hpp"

namespace regatta::report {
namespace {

std::optional<TrialIndex> shortest_of(const View& view, const Group& group) {
  std::optional<TrialIndex> best;
  std::optional<double> best_time;
  int measured = 0;
  for (const TrialIndex index : group.trials) {
    const auto time = compared_time(view, view.results.trials[index.value]);
    if (!time) continue;
    ++measured;
    if (best_time && *best_time <= *time) continue;
    best = index;
    best_time = time;
  }
  return measured > 1 ? best : std::nullopt;
}

}  // namespace

View view_of(const results::Results& results, const analysis::Contrasts& contrasts) {
  View view{results, contrasts, analysis::axes_of(results), {}, {}, {}};
  std::unordered_map<std::string, std::size_t> by_label;
  for (std::uint32_t index = 0; index < results.trials.size(); ++index) {
    std::string name = analysis::label(results.trials[index].parameters, view.axes.stratum);
    const auto [entry, is_new] = by_label.try_emplace(name, view.groups.size());
    if (is_new) view.groups.push_back({std::move(name), {}, std::nullopt});
    view.groups[entry->second].trials.push_back(TrialIndex{index});
  }
  for (auto& group : view.groups) group.shortest = shortest_of(view, group);

  view.ratio.assign(results.trials.size(), nullptr);
  view.is_baseline.assign(results.trials.size(), false);
  for (const auto& contrast : contrasts.contrasts) {
    auto& ratio = view.ratio.at(contrast.a.value);
    if (!ratio) ratio = &contrast;
    view.is_baseline.at(contrast.b.value) = true;
  }
  return view;
}

std::optional<double> compared_time(const View& view, const results::TrialRow& trial) {
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) return std::nullopt;
  auto time = analysis::metric(trial, "step_time");
  const auto& arm = view.axes.arm;
  const auto* batch = std::get_if<std::int64_t>(&trial.parameters[sweep::Param::batch]);
  if (time && batch && *batch > 0 && std::find(arm.begin(), arm.end(), sweep::Param::batch) != arm.end()) {
    *time /= static_cast<double>(*batch);
  }
  return time;
}

}  // namespace regatta::report
