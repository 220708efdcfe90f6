// Axes, and which of them go together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "regatta/json/text.hpp"
#include "sweep/read/levels.hpp"
#include "sweep/read/own_axes.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

constexpr const char* zip_rule = "a list of axes such as [\"model\", \"length\"], or a list of such lists";

bool is_zipped(const Sweep& sweep, const Param& param) {
  return std::ranges::any_of(sweep.zips, [&](const auto& zip) { return std::ranges::find(zip, param) != zip.end(); });
}

/// ["model", "length"] stands for [["model", "length"]].
std::vector<json::Cursor> zips_of(const json::Cursor& cursor) {
  const std::vector<json::Cursor> items = cursor.list(zip_rule);
  return items.front().node.as<json::Node::Array>() != nullptr ? items : std::vector<json::Cursor>{cursor};
}

/// Axes are read later: of one of the sweep's own only its name is known.
Param zipped_param(const json::Cursor& item, const Sweep& sweep) {
  const auto* name = item.node.as<std::string>();
  if (name != nullptr && !find_row(sweep, *name) && may_be_own(sweep, *name))
    return Param::own(*name, Param::OwnKind::text);
  return *find_param(item.choice(param_names()));
}

void read_zip(const json::Cursor& cursor, Sweep& sweep) {
  std::vector<Param> zip;
  for (const json::Cursor& item : cursor.list(zip_rule)) {
    const Param param = zipped_param(item, sweep);
    if (is_zipped(sweep, param) || std::ranges::find(zip, param) != zip.end())
      json::refuse(item.place, {json::describe(item.node) + " a second time", "each axis in one zip, once", ""});
    zip.push_back(param);
  }
  if (zip.size() < 2) cursor.refuse("at least two axes");
  sweep.zips.push_back(std::move(zip));
}

const Axis& need_axis(const json::Cursor& item, const Sweep& sweep) {
  const Axis* axis = find_axis(sweep, zipped_param(item, sweep));
  if (axis != nullptr) return *axis;
  json::refuse(item.place,
               {json::describe(item.node) + ", which is no axis of this sweep", json::one_of(axis_names(sweep)), ""});
}

void refuse_repeated_row(const json::Cursor& cursor, const std::vector<const Axis*>& axes) {
  std::set<std::string> rows;
  for (std::size_t row = 0; row < axes.front()->levels.size(); ++row) {
    std::vector<std::string> levels;
    for (const Axis* axis : axes)
      levels.push_back(fmt::format("{} {}", name_of(axis->param), to_text(axis->levels[row])));
    const std::string text = fmt::format("{}", fmt::join(levels, ", "));
    if (!rows.insert(text).second)
      json::refuse(cursor.place, {text + " a second time", "each row of the zip once", ""});
  }
}

}  // namespace

void read_zips(const json::Cursor& cursor, Sweep& sweep) {
  for (const json::Cursor& zip : zips_of(cursor)) read_zip(zip, sweep);
}

void read_axes(const json::Cursor& cursor, const LevelRules& rules, Sweep& sweep) {
  for (const auto& member : cursor.members("an object of axes")) {
    LevelRules own = rules;
    const auto param = find_row(sweep, member.key);
    const bool is_own = !param && may_be_own(sweep, member.key);
    own.may_repeat = (param && is_zipped(sweep, *param)) ||
                     (is_own && is_zipped(sweep, Param::own(member.key, Param::OwnKind::text)));
    Axis axis = read_axis(member, own, sweep);
    if (axis.is_drawn && own.may_repeat)
      json::refuse(member.value.place,
                   {"a random axis in a zip", "levels or a range (random axes go together anyway)", ""});
    sweep.axes.push_back(std::move(axis));
  }
  if (sweep.axes.empty()) cursor.refuse("at least one axis");
}

void check_zips(const json::Cursor& cursor, const Sweep& sweep) {
  for (const json::Cursor& zip : zips_of(cursor)) {
    std::vector<const Axis*> axes;
    std::vector<std::string> sizes;
    for (const json::Cursor& item : zip.list(zip_rule)) {
      axes.push_back(&need_axis(item, sweep));
      sizes.push_back(fmt::format("{} ({})", axes.back()->levels.size(), name_of(axes.back()->param)));
    }
    const bool same =
        std::ranges::all_of(axes, [&](const Axis* axis) { return axis->levels.size() == axes.front()->levels.size(); });
    if (!same) {
      json::refuse(zip.place, {fmt::format("axes of {} levels", fmt::join(sizes, " and ")),
                               "as many levels in each (they go together one by one)", ""});
    }
    refuse_repeated_row(zip, axes);
  }
}

}  // namespace regatta::sweep
