#include "regatta/results/parameters_of.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace regatta::results {
namespace {

/// By name; where files with levels of several kinds were merged, all count as texts.
std::vector<sweep::Param> own_axes(const Results& results) {
  std::map<std::string, sweep::Param, std::less<>> own;
  for (const TrialRow& row : results.trials) {
    for (const auto& [param, value] : row.parameters.own()) {
      const auto [held, is_new] = own.try_emplace(std::string(param.own_name()), param);
      if (held->second.kind() != param.kind())
        held->second = sweep::Param::own(param.own_name(), sweep::Param::OwnKind::text);
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
    if (const auto param = sweep::find_param(name))
      axes.push_back(*param);
    else if (const auto found = std::ranges::find_if(own, same); found != own.end())
      axes.push_back(*found);
  }
  return axes;
}

std::vector<sweep::Param> all_parameters(const Results& results) {
  std::vector<sweep::Param> all;
  for (const sweep::ParamInfo& row : sweep::parameter_table()) all.push_back(row.param);
  const std::vector<sweep::Param> own = own_axes(results);
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace regatta::results
