#include "regatta/results/parameters_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <variant>

#include "regatta/base/error.hpp"

namespace regatta::results {
namespace {

using Kind = sweep::Param::OwnKind;

Kind together(Kind a, Kind b) {
  const auto is_number = [](Kind kind) { return kind == Kind::integer || kind == Kind::real; };
  if (a == b) return a;
  if (a == Kind::json || b == Kind::json) return Kind::json;
  return is_number(a) && is_number(b) ? Kind::real : Kind::text;
}

sweep::Value as_kind(const sweep::Value& value, Kind kind) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (kind == Kind::real && integer != nullptr) return static_cast<double>(*integer);
  return kind == Kind::text || kind == Kind::json ? sweep::Value(sweep::to_text(value)) : value;
}

/// By name; where files with levels of several kinds were merged, of the kind that holds all.
std::vector<sweep::Param> own_axes(const Results& results) {
  std::map<std::string, sweep::Param, std::less<>> own;
  for (const TrialRow& row : results.trials) {
    for (const auto& [param, value] : row.parameters.own()) {
      const auto [held, is_new] = own.try_emplace(std::string(param.own_name()), param);
      held->second = sweep::Param::own(param.own_name(), together(held->second.kind(), param.kind()));
    }
  }
  std::vector<sweep::Param> axes;
  for (const auto& [name, param] : own) axes.push_back(param);
  return axes;
}

}  // namespace

std::vector<sweep::Param> axes_of_sweep(const Results& results) {
  const std::vector<sweep::Param> own = own_axes(results);
  std::vector<sweep::Param> axes;
  for (const std::string& name : results.axis_names) {
    const auto same = [&](const sweep::Param& param) { return param.own_name() == name; };
    if (const auto found = std::ranges::find_if(own, same); found != own.end())
      axes.push_back(*found);  // programs have axes by names of parameters, too
    else if (const auto param = sweep::find_param(name))
      axes.push_back(*param);
  }
  return axes;
}

namespace {

/// A column has one meaning.
void refuse_other_meaning(const Results& results, const sweep::Param& param) {
  const auto row = sweep::find_param(param.own_name());
  const auto has_row = [&](const TrialRow& trial) {
    return !std::holds_alternative<std::monostate>(trial.parameters[*row]);
  };
  if (!row || std::ranges::none_of(results.trials, has_row)) return;
  throw InputError(
      fmt::format("the axis '{}' is a program's own in one file and Regatta's parameter in another; leave one of these "
                  "files out",
                  param.own_name()));
}

}  // namespace

sweep::Param own_axis(std::string_view name, std::string_view kind) {
  const auto found = std::ranges::find(own_kind_names, kind);
  if (found == std::end(own_kind_names))
    throw InputError(fmt::format("the axis '{}' has levels of the unknown kind '{}'", name, kind));
  return sweep::Param::own(name, static_cast<Kind>(found - std::begin(own_kind_names)));
}

void unify_own_axes(Results& results) {
  for (const sweep::Param& param : own_axes(results)) {
    refuse_other_meaning(results, param);
    for (TrialRow& row : results.trials) {
      const sweep::Value value = as_kind(row.parameters[param], param.kind());
      if (std::holds_alternative<std::monostate>(row.parameters[param])) continue;
      row.parameters.set(param, value);
    }
  }
}

std::vector<sweep::Param> all_parameters(const Results& results) {
  std::vector<sweep::Param> all;
  const std::vector<sweep::Param> own = own_axes(results);
  for (const sweep::ParamInfo& row : sweep::parameter_table()) {
    if (std::ranges::none_of(own, [&](const sweep::Param& param) { return param.own_name() == row.name; }))
      all.push_back(row.param);
  }
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace regatta::results
