#include "regatta/analysis/labels.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "regatta/results/parameters_of.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

constexpr std::size_t parameters_that_bury = 3;

bool is_null(const sweep::Value& value) { return std::holds_alternative<std::monostate>(value); }

/// Parameters with two different values; for one that the sweep names as an axis, null counts as a value.
sweep::ParamSet varying(const results::Results& results) {
  sweep::ParamSet is_axis;
  for (const Param& param : results::axes_of_sweep(results)) is_axis.set(param);
  sweep::ParamSet varies;
  for (const Param& param : results::all_parameters(results)) {
    std::optional<sweep::Value> seen;
    for (const auto& trial : results.trials) {
      const sweep::Value& value = trial.parameters[param];
      if (is_null(value) && !is_axis[param]) continue;
      if (!seen) seen = value;
      if (*seen == value) continue;
      varies.set(param);
      break;
    }
  }
  return varies;
}

/// Parameters in which arms of one block differ.
sweep::ParamSet compared(const results::Results& results) {
  sweep::ParamSet differs;
  for (const auto& block : results.blocks) {
    if (block.arms.empty()) continue;
    const auto& first = results.trials.at(block.arms.front().value).parameters;
    for (const TrialIndex arm : block.arms) differs |= sweep::differing(first, results.trials.at(arm.value).parameters);
  }
  return differs;
}

/// Engine and mode first, then the sweep's axes in file order, then the rest.
std::vector<Param> reading_order(const results::Results& results) {
  std::vector<Param> order = {Param::engine, Param::mode};
  const auto add = [&](const Param& param) {
    if (std::find(order.begin(), order.end(), param) == order.end()) order.push_back(param);
  };
  std::ranges::for_each(results::axes_of_sweep(results), add);
  std::ranges::for_each(results::all_parameters(results), add);
  return order;
}

/// The one value that all baselines have which read the parameter; null if they differ, or there is none.
sweep::Value value_of_baselines(const results::Results& results, const Param& param) {
  sweep::Value shared;
  for (const auto& block : results.blocks) {
    if (!block.has_baseline || block.has_clone || block.arms.empty()) continue;
    const sweep::Value& value = results.trials.at(block.arms.front().value).parameters[param];
    if (is_null(value)) continue;
    if (!is_null(shared) && shared != value) return {};
    shared = value;
  }
  return shared;
}

std::vector<std::pair<Param, sweep::Value>> usual_values(const results::Results& results,
                                                         const std::vector<Param>& compared) {
  std::vector<Param> beside;  // engine and mode are always named
  std::ranges::copy_if(compared, std::back_inserter(beside),
                       [](Param param) { return param != Param::engine && param != Param::mode; });
  if (beside.size() < parameters_that_bury) return {};
  std::vector<std::pair<Param, sweep::Value>> usual;
  for (const Param& param : beside) {
    sweep::Value value = value_of_baselines(results, param);
    if (!is_null(value)) usual.emplace_back(param, std::move(value));
  }
  return usual;
}

bool speaks_for_itself(const Param& param) {
  switch (param.known()) {
    case Param::engine:
    case Param::mode:
    case Param::model:
    case Param::command:
    case Param::dataset:
    case Param::device:
    case Param::loop:
    case Param::precision:
    case Param::work:
      return true;
    default:
      return false;
  }
}

/// Whether the model of a trial tells its dataset: then a setting that names both says the same twice.
bool model_tells_dataset(const results::Results& results) {
  std::map<sweep::Value, sweep::Value> dataset_of;
  return std::ranges::all_of(results.trials, [&](const results::TrialRow& trial) {
    const auto [entry, is_new] =
        dataset_of.try_emplace(trial.parameters[Param::model], trial.parameters[Param::dataset]);
    return is_new || entry->second == trial.parameters[Param::dataset];
  });
}

}  // namespace

Axes axes_of(const results::Results& results) {
  const sweep::ParamSet varies = varying(results);
  const sweep::ParamSet differs = compared(results);
  Axes axes;
  for (const Param& param : reading_order(results)) {
    if (!varies[param]) continue;
    const bool names_arm = param == Param::engine || param == Param::mode || differs[param];
    (names_arm ? axes.arm : axes.stratum).push_back(param);
  }
  const bool names_model = std::ranges::find(axes.stratum, Param::model) != axes.stratum.end();
  if (names_model && model_tells_dataset(results)) std::erase(axes.stratum, Param::dataset);
  if (axes.arm.empty()) axes.arm = {Param::engine, Param::mode};
  axes.usual = usual_values(results, axes.arm);
  return axes;
}

std::string label(const sweep::Parameters& parameters, const std::vector<Param>& shown) {
  std::string text;
  for (const Param& param : shown) {
    if (is_null(parameters[param])) continue;
    if (!text.empty()) text += ' ';
    if (!speaks_for_itself(param)) text.append(sweep::name_of(param)).append(" ");
    text += sweep::to_text(parameters[param]);
  }
  return text;
}

std::string arm_label(const sweep::Parameters& parameters, const Axes& axes) {
  std::vector<Param> shown;
  std::ranges::copy_if(axes.arm, std::back_inserter(shown), [&](Param param) {
    return std::ranges::find(axes.usual, std::pair(param, parameters[param])) == axes.usual.end();
  });
  std::string text = label(parameters, shown);
  return text.empty() ? label(parameters, axes.arm) : text;
}

std::string usual_text(const Axes& axes) {
  std::string text;
  for (const auto& [param, value] : axes.usual) {
    sweep::Parameters only;
    only.set(param, value);
    text += (text.empty() ? "" : ", ") + label(only, {param});
  }
  return text;
}

std::string block_label(const sweep::Parameters& parameters, const Axes& axes) {
  std::vector<Param> shown = axes.stratum;
  shown.insert(shown.end(), axes.replicates.begin(), axes.replicates.end());
  return label(parameters, shown);
}

std::string trial_label(const sweep::Parameters& parameters, const Axes& axes) {
  const std::string arm = arm_label(parameters, axes);
  const std::string where = block_label(parameters, axes);
  return arm.empty() || where.empty() ? arm + where : arm + " " + where;
}

}  // namespace regatta::analysis
