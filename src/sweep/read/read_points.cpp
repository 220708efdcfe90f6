// The points beside the grid of the axes, and the points of it that are excluded.
#include <fmt/format.h>

#include <algorithm>

#include "regatta/json/text.hpp"
#include "sweep/read/levels.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

/// Levels of an axis of the sweep; of a parameter that has none they are not looked up.
std::vector<Value> read_known_levels(const json::Cursor::Member& member, const Param& param, const Sweep& sweep) {
  std::vector<Value> levels;
  if (param.is_own() && param.kind() == Param::OwnKind::json) {
    levels.push_back(read_level(member.value, param, sweep));  // a list may be one level, or some of them
    if (has_level(sweep, param, levels.back())) return levels;
    levels.clear();
  }
  for (const json::Cursor& item : member.value.list_or_one("at least one level")) {
    levels.push_back(read_level(item, param, sweep));
    if (has_axis(sweep, param) && !has_level(sweep, param, levels.back()))
      item.refuse(fmt::format("a level of the axis {}", member.key));
  }
  return levels;
}

/// {"engine": "numpy", "batch": [1, 2]}.
Condition read_condition(const json::Cursor& cursor, const Sweep& sweep) {
  Condition condition;
  for (const auto& member : cursor.members("an object of parameters and levels")) {
    const Param param = need_param(member.value.place, member.key, sweep);
    condition.emplace_back(param, read_known_levels(member, param, sweep));
  }
  if (condition.empty()) cursor.refuse("at least one parameter");
  return condition;
}

/// Levels as axes have them; drawn ones where the rules allow it.
std::vector<Axis> read_own_axes(const json::Cursor& cursor, const LevelRules& rules, Sweep& sweep) {
  std::vector<Axis> axes;
  for (const auto& member : cursor.members("an object of parameters and levels"))
    axes.push_back(read_axis(member, rules, sweep));
  if (axes.empty()) cursor.refuse("at least one parameter");
  return axes;
}

void read_when(const json::Cursor& cursor, const LevelRules& rules, Sweep& sweep) {
  const json::Fields fields(cursor,
                            "an object such as {\"if\": {\"engine\": \"tensorflow\"}, \"axes\": {\"loop\": [\"fit\"]}}",
                            {"if", "axes"});
  When when;
  const json::Cursor condition = fields.need("if", "parameters and levels, such as {\"engine\": \"tensorflow\"}");
  when.condition = read_condition(condition, sweep);
  for (const auto& [param, levels] : when.condition) {
    if (has_axis(sweep, param)) continue;
    const std::string name(name_of(param));
    json::refuse(condition.member(name)->place,
                 {fmt::format("the parameter {}, which is no axis before this", json::quote(name)),
                  json::one_of(axis_names(sweep)), ""});
  }
  const json::Cursor axes = fields.need("axes", "the axes that these points have");
  when.axes = read_own_axes(axes, rules, sweep);
  for (const Axis& axis : when.axes) {
    const std::string name(name_of(axis.param));
    if (find_axis(sweep, axis.param) != nullptr) {
      json::refuse(axes.member(name)->place, {fmt::format("the axis {}, which all points have", json::quote(name)),
                                              "a parameter that is not in \"axes\" of the sweep", ""});
    }
  }
  sweep.whens.push_back(std::move(when));
}

}  // namespace

void read_whens(const json::Cursor& cursor, const LevelRules& rules, Sweep& sweep) {
  for (const json::Cursor& item : cursor.list("a list of objects with \"if\" and \"axes\""))
    read_when(item, rules, sweep);
}

void read_includes(const json::Cursor& cursor, Sweep& sweep) {
  std::vector<std::vector<Axis>> includes;
  for (const json::Cursor& item : cursor.list("a list of objects such as {\"engine\": \"native\", \"batch\": 4096}"))
    includes.push_back(read_own_axes(item, {}, sweep));
  sweep.includes = std::move(includes);
}

void read_excludes(const json::Cursor& cursor, Sweep& sweep) {
  for (const json::Cursor& item : cursor.list("a list of objects such as {\"engine\": \"numpy\", \"batch\": 32}"))
    sweep.excludes.push_back(read_condition(item, sweep));
}

}  // namespace regatta::sweep
