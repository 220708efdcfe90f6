#include "regatta/analysis/labels.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace regatta::analysis {
namespace {

using sweep::Param;
using Flags = std::array<bool, sweep::param_count>;

constexpr std::size_t parameters_that_bury = 3;

std::size_t position(Param param) { return static_cast<std::size_t>(param); }

bool is_null(const sweep::Value& value) { return std::holds_alternative<std::monostate>(value); }

/// Parameters with two different values; for one that the sweep names as an axis, null counts as a value.
Flags varying(const results::Results& results) {
  Flags is_axis{};
  for (const auto& name : results.axis_names) {
    if (const auto param = sweep::find_param(name)) is_axis[position(*param)] = true;
  }
  Flags varies{};
  std::array<std::optional<sweep::Value>, sweep::param_count> seen;
  for (const auto& trial : results.trials) {
    for (std::size_t i = 0; i < sweep::param_count; ++i) {
      const sweep::Value& value = trial.parameters.values[i];
      if (varies[i] || (is_null(value) && !is_axis[i])) continue;
      if (!seen[i]) seen[i] = value;
      varies[i] = *seen[i] != value;
    }
  }
  return varies;
}

/// Parameters in which arms of one block differ.
Flags compared(const results::Results& results) {
  Flags differs{};
  for (const auto& block : results.blocks) {
    for (const TrialIndex arm : block.arms) {
      const auto& first = results.trials.at(block.arms.front().value).parameters;
      const auto& other = results.trials.at(arm.value).parameters;
      for (std::size_t i = 0; i < sweep::param_count; ++i)
        differs[i] = differs[i] || first.values[i] != other.values[i];
    }
  }
  return differs;
}

/// Engine and mode first, then the sweep's axes in file order, then the rest.
std::vector<Param> reading_order(const results::Results& results) {
  std::vector<Param> order = {Param::engine, Param::mode};
  const auto add = [&](Param param) {
    if (std::find(order.begin(), order.end(), param) == order.end()) order.push_back(param);
  };
  for (const auto& name : results.axis_names) {
    if (const auto param = sweep::find_param(name)) add(*param);
  }
  for (std::size_t i = 0; i < sweep::param_count; ++i) add(static_cast<Param>(i));
  return order;
}

/// The one value that all baselines have which read the parameter; null if they differ, or there is none.
sweep::Value value_of_baselines(const results::Results& results, Param param) {
  sweep::Value shared;
  for (const auto& block : results.blocks) {
    if (!block.has_baseline || block.arms.empty()) continue;
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
  for (const Param param : beside) {
    sweep::Value value = value_of_baselines(results, param);
    if (!is_null(value)) usual.emplace_back(param, std::move(value));
  }
  return usual;
}

bool speaks_for_itself(Param param) {
  switch (param) {
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

}  // namespace

Axes axes_of(const results::Results& results) {
  const Flags varies = varying(results);
  const Flags differs = compared(results);
  Axes axes;
  for (const Param param : reading_order(results)) {
    if (!varies[position(param)]) continue;
    const bool names_arm = param == Param::engine || param == Param::mode || differs[position(param)];
    (names_arm ? axes.arm : axes.stratum).push_back(param);
  }
  if (axes.arm.empty()) axes.arm = {Param::engine, Param::mode};
  axes.usual = usual_values(results, axes.arm);
  return axes;
}

std::string label(const sweep::Parameters& parameters, const std::vector<Param>& shown) {
  std::string text;
  for (const Param param : shown) {
    if (is_null(parameters[param])) continue;
    if (!text.empty()) text += ' ';
    if (!speaks_for_itself(param)) text.append(sweep::info(param).name).append(" ");
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
    only[param] = value;
    text += (text.empty() ? "" : ", ") + label(only, {param});
  }
  return text;
}

std::string trial_label(const sweep::Parameters& parameters, const Axes& axes) {
  const std::string arm = arm_label(parameters, axes);
  const std::string stratum = label(parameters, axes.stratum);
  return arm.empty() || stratum.empty() ? arm + stratum : arm + " " + stratum;
}

void add_flags(std::vector<std::string>& flags, std::string_view list) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string flag(list.substr(0, comma));
    if (!flag.empty() && std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace regatta::analysis
