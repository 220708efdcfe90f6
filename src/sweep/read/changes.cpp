// The command line's changes to a sweep, and the same done again from its record.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/read/levels.hpp"
#include "sweep/read/own_axes.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

constexpr std::string_view set_prefix = "--set ";
constexpr std::string_view only_prefix = "--only ";

/// "batch=8,16" taken apart.
struct Assignment {
  json::Place place;
  std::string_view name;
  std::vector<std::string> levels;
};

/// The comma behind the first level; commas inside brackets, braces or quotes are part of it.
std::size_t end_of_level(std::string_view text) {
  if (!text.starts_with('[') && !text.starts_with('{') && !text.starts_with('"')) return text.find(',');
  int depth = 0;
  bool is_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_text && c == '\\') ++at;
    if (c == '"') is_text = !is_text;
    if (is_text) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth <= 0) return at;
  }
  return std::string_view::npos;
}

Assignment parse_assignment(std::string_view option, std::string_view text) {
  Assignment assignment{{std::string(option) + json::shorten(text), 0, ""}, text.substr(0, text.find('=')), {}};
  if (assignment.name.size() == text.size()) json::refuse(assignment.place, {"no '='", "AXIS=LEVEL,LEVEL", ""});
  text.remove_prefix(assignment.name.size() + 1);
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = end_of_level(text);
    assignment.levels.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return assignment;
}

/// A number where the parameter has numbers; a text stays one and is then refused.
Value parse_level(const Param& param, const std::string& text) {
  const ParamInfo& row = info(param);
  if (param.is_own() && param.kind() == Param::OwnKind::json) {
    const auto node = json::as_json(text);
    if (!node) return text;
    const auto* inside = node->as<std::string>();
    return inside != nullptr ? *inside : json::compact(*node);
  }
  std::int64_t integer = 0;
  double real = 0;
  const char* const last = text.data() + text.size();
  if (row.type == ParamType::real) {
    const auto [end, error] = std::from_chars(text.data(), last, real);
    if (error == std::errc{} && end == last) return real;
    return text;
  }
  const auto [end, error] = std::from_chars(text.data(), last, integer);
  if (row.type == ParamType::integer && error == std::errc{} && end == last) return integer;
  return text;
}

Value need_level(const Assignment& assignment, const Param& param, const std::string& text, const Sweep& sweep) {
  if (const auto problem = digits_problem(param, text))
    json::refuse(assignment.place, {json::show(text), problem->expected, ""});
  Value value = level_of_size(param, parse_level(param, text));
  if (const auto problem = level_problem(sweep, param, value))
    json::refuse(assignment.place, {json::show(text), problem->expected, problem->suggestion});
  return value;
}

/// A level of --set; "torch?" is left out if it is not found.
Value new_level(const Assignment& assignment, const Param& param, const std::string& text, Sweep& sweep) {
  const auto engine = optional_engine(param, text);
  if (!engine) return need_level(assignment, param, text, sweep);
  if (const auto problem = take_optional_engine(sweep, *engine))
    json::refuse(assignment.place, {json::show(text), problem->expected, problem->suggestion});
  return *engine;
}

void refuse_repeated(const Assignment& assignment, const std::vector<Value>& levels) {
  if (const auto repeated = first_repeated(levels))
    json::refuse(assignment.place, {to_json(levels[*repeated]) + " a second time", "each level once", ""});
}

/// The axis goes on without its zip, its `when`, its `include` and what was left out of it.
void set_free(Sweep& sweep, const Param& param) {
  const auto is_axis = [&](const Axis& axis) { return axis.param == param; };
  for (auto& zip : sweep.zips) std::erase(zip, param);
  std::erase_if(sweep.zips, [](const auto& zip) { return zip.empty(); });
  for (When& when : sweep.whens) std::erase_if(when.axes, is_axis);
  std::erase_if(sweep.includes, [&](const auto& include) { return std::ranges::any_of(include, is_axis); });
  std::erase_if(sweep.left_out, [&](const LeftOut& left) { return left.param == param; });
  if (param == Param::engine) sweep.optional_engines.clear();
}

bool same_axes(const std::vector<Axis>& a, const std::vector<Axis>& b) {
  return std::ranges::equal(
      a, b, [](const Axis& one, const Axis& other) { return one.param == other.param && one.levels == other.levels; });
}

[[noreturn]] void refuse_recorded(const Param& param, const std::string& what) {
  throw InputError(fmt::format("it has an axis {} that its sweep cannot have: {}", name_of(param), what));
}

void check_recorded(const Sweep& sweep, const Axis& axis) {
  if (axis.param == Param::repeat || axis.levels.empty()) refuse_recorded(axis.param, "it has no levels of its own");
  for (const Value& level : axis.levels) {
    if (const auto problem = level_problem(sweep, axis.param, level))
      refuse_recorded(axis.param,
                      fmt::format("found {}, expected {}", json::shorten(to_json(level)), problem->expected));
  }
}

/// The levels of axes that go together, each as often as the others.
void check_recorded_zips(const Sweep& sweep) {
  std::optional<std::size_t> draws;
  for (const Axis& axis : sweep.axes) {
    if (!axis.is_drawn) continue;
    if (draws.value_or(axis.levels.size()) != axis.levels.size())
      refuse_recorded(axis.param, "it was drawn more often than another, or less");
    draws = axis.levels.size();
  }
  for (const auto& zip : sweep.zips) {
    for (const Param& param : zip) {
      if (find_axis(sweep, param)->levels.size() != find_axis(sweep, zip.front())->levels.size())
        refuse_recorded(param, "it has more levels than its zip, or fewer");
    }
  }
}

}  // namespace

void take_recorded_axes(Sweep& sweep, std::vector<Axis> axes) {
  if (same_axes(axes, sweep.axes)) return;
  for (Axis& axis : axes) {
    check_recorded(sweep, axis);
    if (const Axis* written = find_axis(sweep, axis.param)) {
      axis.is_drawn = written->is_drawn;
      axis.choice = written->choice;
    }
    const bool is_zipped =
        std::ranges::any_of(sweep.zips, [&](const auto& zip) { return std::ranges::count(zip, axis.param) > 0; });
    if (!is_zipped && !axis.is_drawn && first_repeated(axis.levels))
      refuse_recorded(axis.param, "a level stands there twice");
    if (std::ranges::count(axes, axis.param, &Axis::param) > 1) refuse_recorded(axis.param, "it stands there twice");
  }
  for (const Axis& axis : sweep.axes) {
    if (std::ranges::count(axes, axis.param, &Axis::param) == 0) refuse_recorded(axis.param, "it is missing");
  }
  sweep.axes = std::move(axes);
  check_recorded_zips(sweep);
}

void set_axis(Sweep& sweep, const std::string& written) {
  const std::string text = with_all_threads(written, sweep.outside.cores);
  const Assignment assignment = parse_assignment(set_prefix, text);
  const Param param = need_axis_param(assignment.place, assignment.name, sweep, [&] {
    const auto known = find_own(sweep, assignment.name);
    const bool takes_any = known && (known->kind() == Param::OwnKind::text || known->kind() == Param::OwnKind::json);
    return takes_any ? known->kind() : own_kind(assignment.levels);
  });
  if (const auto problem = task_problem(sweep, info(param))) json::refuse(assignment.place, *problem);
  set_free(sweep, param);
  sweep.changes.push_back(std::string(set_prefix) + text);
  Axis axis{param, {}};
  for (const std::string& level : assignment.levels) axis.levels.push_back(new_level(assignment, param, level, sweep));
  refuse_repeated(assignment, axis.levels);
  const auto known = std::ranges::find(sweep.axes, param, &Axis::param);
  if (known == sweep.axes.end()) {
    sweep.axes.push_back(std::move(axis));
  } else {
    *known = std::move(axis);
  }
  check_own_axes(sweep);
}

void keep_only(Sweep& sweep, const std::string& written) {
  const std::string text = with_all_threads(written, sweep.outside.cores);
  const Assignment assignment = parse_assignment(only_prefix, text);
  const Param param = need_param(assignment.place, assignment.name, sweep);
  if (!has_axis(sweep, param)) {
    json::refuse(assignment.place,
                 {fmt::format("the parameter {}, which is no axis of this sweep", json::quote(name_of(param))),
                  json::one_of(axis_names(sweep)), ""});
  }
  std::vector<Value> levels;
  for (const std::string& level : assignment.levels) {
    levels.push_back(need_level(assignment, param, level, sweep));
    if (!has_level(sweep, param, levels.back()))
      json::refuse(assignment.place,
                   {to_json(levels.back()), fmt::format("a level of the axis {}", name_of(param)), ""});
  }
  refuse_repeated(assignment, levels);
  sweep.only.emplace_back(param, std::move(levels));
  sweep.changes.push_back(std::string(only_prefix) + text);
}

void apply_change(Sweep& sweep, const std::string& change) {
  if (change.starts_with(set_prefix)) return set_axis(sweep, change.substr(set_prefix.size()));
  if (change.starts_with(only_prefix)) return keep_only(sweep, change.substr(only_prefix.size()));
  if (leave_out_again(sweep, change)) return;
  throw InputError(
      fmt::format("found the unknown change '{}', expected one of this version; use the version that wrote it",
                  json::shorten(change)));
}

}  // namespace regatta::sweep
