#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "job/job.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

/// The axes with several levels: how many each has.
std::map<sweep::Param, std::size_t> levels_of(const sweep::Sweep& sweep) {
  std::map<sweep::Param, std::size_t> levels;
  const auto add = [&](const sweep::Axis& axis) {
    if (axis.levels.size() > 1) levels.emplace(axis.param, axis.levels.size());
  };
  std::ranges::for_each(sweep.axes, add);
  for (const sweep::When& when : sweep.whens) std::ranges::for_each(when.axes, add);
  return levels;
}

}  // namespace

std::vector<std::string> unread_axes_lines(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  const bool has_programs = std::ranges::any_of(plan.trials, sweep::is_program, &sweep::Trial::parameters);
  std::vector<std::string> lines;
  for (const auto& [param, levels] : levels_of(sweep)) {
    const auto reads = [&](const sweep::Trial& trial) {
      return !std::holds_alternative<std::monostate>(trial.parameters[param]);
    };
    if (std::ranges::any_of(plan.trials, reads)) continue;
    const std::string name(sweep::name_of(param));
    lines.push_back(fmt::format("nothing reads the axis \"{}\": its {} levels are measured once{}", name, levels,
                                has_programs ? fmt::format(". Write {{{}}} into the arguments of a program, or "
                                                           "\"reads\": [\"{}\"] beside them",
                                                           name, name)
                                             : ""));
  }
  return lines;
}

}  // namespace regatta::launcher
