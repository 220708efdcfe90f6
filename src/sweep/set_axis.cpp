#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "regatta/sweep/reader.hpp"
#include "sweep/json_text.hpp"
#include "sweep/levels.hpp"

namespace regatta::sweep {
namespace {

std::vector<std::string> split_levels(std::string_view text) {
  std::vector<std::string> levels;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = text.find(',');
    levels.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return levels;
}

/// An integer parameter's level; a text stays one and is then refused.
Value parse_level(const ParamInfo& row, const std::string& text) {
  std::int64_t integer = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, integer);
  if (row.type == ParamType::integer && error == std::errc{} && end == last) return integer;
  return text;
}

}  // namespace

void set_axis(Sweep& sweep, const std::string& assignment) {
  const Place place{"--set " + shorten(assignment), 0, ""};
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) refuse(place, {"no '='", "AXIS=LEVEL,LEVEL", ""});
  const ParamInfo& row = need_axis_param(place, std::string_view(assignment).substr(0, equals));
  Axis axis{row.param, {}};
  for (const std::string& text : split_levels(std::string_view(assignment).substr(equals + 1))) {
    axis.levels.push_back(parse_level(row, text));
    const auto problem = level_problem(sweep, row.param, axis.levels.back());
    if (problem) refuse(place, {quote(shorten(text)), problem->expected, problem->suggestion});
  }
  if (const auto repeated = first_repeated(axis.levels)) {
    refuse(place, {to_json(axis.levels[*repeated]) + " a second time", "each level once", ""});
  }
  const auto known =
      std::find_if(sweep.axes.begin(), sweep.axes.end(), [&](const Axis& old) { return old.param == row.param; });
  if (known == sweep.axes.end()) {
    sweep.axes.push_back(std::move(axis));
  } else {
    *known = std::move(axis);
  }
}

}  // namespace regatta::sweep
