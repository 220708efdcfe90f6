#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/base/suggestion.hpp"
#include "regatta/model/catalogue.hpp"
#include "sweep/json_text.hpp"
#include "sweep/levels.hpp"
#include "sweep/sections.hpp"
#include "sweep/user_models.hpp"

namespace regatta::sweep {
namespace {

/// A scalar as a parameter's value; other JSON as no value, which is a level of nothing.
Value scalar(const JsonNode& node) {
  if (const auto* text = node.as<std::string>()) return *text;
  if (const auto* integer = node.as<std::int64_t>()) return *integer;
  if (const auto* number = node.as<double>()) return *number;
  if (const auto* flag = node.as<bool>()) return *flag;
  return {};
}

/// A number stands for the level that is written like it: "prefetch": [0, 1, "auto"].
Value level_of_text(Param param, Value value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto& levels = info(param).levels;
  if (integer == nullptr || info(param).type != ParamType::text) return value;
  std::string text = std::to_string(*integer);
  return std::find(levels.begin(), levels.end(), text) == levels.end() ? value : Value(std::move(text));
}

Value read_level(const Cursor& cursor, Param param, const Sweep& sweep) {
  Value value = level_of_text(param, scalar(cursor.node));
  if (const auto problem = level_problem(sweep, param, value)) cursor.refuse(problem->expected, problem->suggestion);
  return value;
}

/// model/ parses it and answers "POINTER: found ..., expected ..." with a pointer inside the model.
model::Model parse_model_at(const Cursor& cursor, const Sweep& sweep) {
  try {
    return model::parse_model(
        std::string_view(sweep.text).substr(cursor.node.begin, cursor.node.end - cursor.node.begin));
  } catch (const InputError& error) {
    const std::string text = error.what();
    const std::string inside = text.substr(0, text.find(": "));
    const std::string rest = text.substr(std::min(text.size(), inside.size()));
    throw InputError(fmt::format("{}:{}: {}{}{}", cursor.place.file, line_of(cursor.node, inside), cursor.place.pointer,
                                 inside, rest));
  }
}

/// The name of a model written out, which joins the sweep's models.
Value read_written_out_model(const Cursor& cursor, Sweep& sweep) {
  model::Model model = parse_model_at(cursor, sweep);
  const std::string name = model::name_of(model);
  const auto name_member = cursor.member("name");
  const Cursor name_cursor = name_member.value_or(cursor);
  if (!is_name(name)) name_cursor.refuse(name_member ? name_rule : fmt::format("the key \"name\", {}", name_rule));
  if (auto* user = std::get_if<model::UserModel>(&model)) find_sources(cursor, sweep, *user);
  const auto taken = model::model_names();
  if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
    name_cursor.refuse("a name of its own (a named model has this one)");
  }
  if (!sweep.models.emplace(name, std::move(model)).second) {
    refuse(name_cursor.place,
           {quote(name) + " a second time", name_member ? "each model once" : "a \"name\" of its own", ""});
  }
  return name;
}

Axis read_axis(const Cursor::Member& member, Sweep& sweep) {
  const ParamInfo& row = need_axis_param(member.value.place, member.key);
  Axis axis{row.param, {}};
  const std::vector<Cursor> levels = member.value.list_or_one("at least one level");
  for (const Cursor& level : levels) {
    const bool written_out = row.param == Param::model && level.is_object();
    axis.levels.push_back(written_out ? read_written_out_model(level, sweep) : read_level(level, row.param, sweep));
  }
  if (const auto repeated = first_repeated(axis.levels)) {
    refuse(levels[*repeated].place, {describe(levels[*repeated].node) + " a second time", "each level once", ""});
  }
  return axis;
}

const Axis* find_axis(const Sweep& sweep, Param param) {
  const auto found =
      std::find_if(sweep.axes.begin(), sweep.axes.end(), [&](const Axis& axis) { return axis.param == param; });
  return found == sweep.axes.end() ? nullptr : &*found;
}

/// A parameter and a level that its axis has.
std::pair<Param, Value> read_pair(const Cursor::Member& member, const Sweep& sweep) {
  const auto param = find_param(member.key);
  if (!param) {
    refuse(member.value.place, {fmt::format("the unknown parameter {}", quote(shorten(member.key))),
                                one_of(param_names()), nearest_name(member.key, param_names())});
  }
  return {*param, read_level(member.value, *param, sweep)};
}

}  // namespace

void read_axes(const Cursor& cursor, Sweep& sweep) {
  for (const auto& member : cursor.members("an object of axes")) sweep.axes.push_back(read_axis(member, sweep));
  if (sweep.axes.empty()) cursor.refuse("at least one axis");
}

void read_excludes(const Cursor& cursor, Sweep& sweep) {
  for (const Cursor& item : cursor.list("a list of objects such as {\"engine\": \"numpy\", \"batch\": 32}")) {
    Match match;
    for (const auto& member : item.members("an object of parameters and levels")) {
      match.push_back(read_pair(member, sweep));
      const Axis* axis = find_axis(sweep, match.back().first);
      if (axis == nullptr ||
          std::find(axis->levels.begin(), axis->levels.end(), match.back().second) != axis->levels.end())
        continue;
      member.value.refuse(fmt::format("a level of the axis {}", member.key));
    }
    if (match.empty()) item.refuse("at least one parameter");
    sweep.excludes.push_back(std::move(match));
  }
}

void read_compare(const Cursor& cursor, Sweep& sweep) {
  const Fields fields(cursor, "an object", {"over", "baseline", "pairs"});
  Compare compare;
  std::vector<std::string> over;
  for (const Cursor& item :
       fields.need("over", "the parameters that are compared").list_or_one("at least one parameter")) {
    over.push_back(item.choice(param_names()));
    compare.over.push_back(*find_param(over.back()));
    if (std::count(over.begin(), over.end(), over.back()) > 1)
      refuse(item.place, {describe(item.node) + " a second time", "each parameter once", ""});
  }
  if (const auto pairs = fields.find("pairs")) {
    const std::string& text = pairs->choice({"baseline", "all", "one-factor"});
    if (text != "baseline") pairs->refuse(fmt::format("\"baseline\" ({} is not built yet; use baseline)", quote(text)));
  }
  const Cursor baseline =
      fields.need("baseline", "the arm that others are compared with, such as {\"engine\": \"native\"}");
  for (const auto& member : baseline.members("an object of parameters and levels")) {
    const auto pair = read_pair(member, sweep);
    if (std::find(over.begin(), over.end(), member.key) == over.end()) {
      refuse(member.value.place, {fmt::format("the parameter {}", quote(member.key)),
                                  fmt::format("only what \"over\" names ({})", one_of(over)), ""});
    }
    compare.baseline.push_back(pair);
  }
  if (compare.baseline.empty()) baseline.refuse("at least one parameter");
  sweep.compare = std::move(compare);
}

}  // namespace regatta::sweep
