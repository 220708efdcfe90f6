#include "sweep/read/own_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>

#include "regatta/json/text.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/places.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

using Kind = Param::OwnKind;

constexpr const char* one_kind = "levels of one kind: numbers, texts, or true and false";
constexpr std::array<const char*, 5> ranges = {"linear", "geometric", "uniform", "log_uniform", "choice"};

bool is_range(const json::Cursor& cursor) {
  return std::ranges::any_of(ranges, [&](const char* key) { return cursor.member(key).has_value(); });
}

bool is_read_by_some_command(const Sweep& sweep, const std::string& name) {
  return std::ranges::any_of(sweep.commands, [&](const auto& each) { return each.second.reads.contains(name); });
}

/// The values of an axis: its levels, the ends and steps of ranges, the levels to choose from. Lists in its list are
/// levels.
void each_value(const json::Cursor& cursor, bool is_level, const std::function<void(const json::Cursor&)>& visit) {
  if (is_range(cursor)) {
    for (const char* const key : ranges) {
      if (const auto inner = cursor.member(key)) each_value(*inner, false, visit);
    }
    if (const auto step = cursor.member("step")) visit(*step);
  } else if (!is_level && cursor.node.as<json::Node::Array>() != nullptr) {
    for (const json::Cursor& item : cursor.list(one_kind)) each_value(item, true, visit);
  } else {
    visit(cursor);
  }
}

/// Whether a range stands among the levels: its numbers are of one kind.
bool has_range(const json::Cursor& levels) {
  if (const auto choice = levels.member("choice")) return has_range(*choice);
  if (is_range(levels)) return true;
  const auto* list = levels.node.as<json::Node::Array>();
  return list != nullptr && !list->empty() && std::ranges::any_of(levels.list(one_kind), is_range);
}

Kind kind_of(const json::Node& node) {
  if (node.as<std::string>() != nullptr) return Kind::text;
  if (node.as<std::int64_t>() != nullptr) return Kind::integer;
  if (node.as<json::Real>() != nullptr) return Kind::real;
  return node.as<bool>() != nullptr ? Kind::flag : Kind::json;
}

/// Whole numbers among others are real ones; other mixtures are JSON.
Kind together(Kind a, Kind b) {
  const auto is_number = [](Kind kind) { return kind == Kind::integer || kind == Kind::real; };
  if (a == b) return a;
  return is_number(a) && is_number(b) ? Kind::real : Kind::json;
}

std::vector<model::Model> models_of(const Sweep& sweep) {
  std::vector<model::Model> models;
  for (const auto& [name, model] : sweep.models) models.push_back(model);
  const auto add = [&](const Axis& axis) {
    if (axis.param != Param::model) return;
    for (const Value& level : axis.levels) {
      if (auto model =
              model::find_model(std::get<std::string>(level), std::get<std::int64_t>(info(Param::length).fallback)))
        models.push_back(std::move(*model));
    }
  };
  for (const Axis& axis : sweep.axes) add(axis);
  for (const When& when : sweep.whens) std::ranges::for_each(when.axes, add);
  for (const auto& include : sweep.includes) std::ranges::for_each(include, add);
  return models;
}

void check_axis(const Sweep& sweep, const Param& param, const std::vector<model::Model>& models) {
  const std::string name(param.own_name());
  const json::Place place = place_in(sweep, "/axes/" + name);
  if (sweep.task == Task::train && name.starts_with("optimizer.") && name.ends_with(".learning_rate"))
    json::refuse(place, {"the axis " + json::quote(name), "the axis \"learning_rate\", which training runs read", ""});
  if (is_read_by_some_command(sweep, name)) return;
  if (std::ranges::any_of(models, [&](const model::Model& model) { return model::has_place(model, name); })) return;
  json::refuse(place, {fmt::format("the axis {}, which no model of this sweep has a place for", json::quote(name)),
                       "keys and positions as a model is written out, such as \"layers.0.dense\", "
                       "\"optimizer.learning_rate\", or \"args.width\" where its \"args\" name width",
                       ""});
}

/// Rows of the table that say how a program is run, and mean so wherever they stand.
bool is_of_the_run(const Param& row) {
  return row == Param::engine || row == Param::command || row == Param::threads || row == Param::ranks ||
         row == Param::repeat || row == Param::device;
}

/// A row that programs may have in braces whatever else the sweep runs.
bool is_read_by_programs(const Sweep& sweep, std::string_view name) {
  const auto row = find_param(name);
  if (!row || !is_of_the_run(*row) || *row == Param::engine || *row == Param::command) return false;
  return *row != Param::device || has_axis(sweep, *row);
}

/// Beside workers, which have a use for it, too.
bool is_read_beside_workers(const Sweep& sweep, std::string_view name) {
  const auto row = find_row(sweep, name);
  return row && may_be_shared(*row) && has_axis(sweep, *row);
}

/// Whether the name stands for an axis whose levels a program gets.
bool is_axis_for_programs(const Sweep& sweep, std::string_view name) {
  return find_own(sweep, name) || is_read_by_programs(sweep, name) || is_read_beside_workers(sweep, name);
}

/// Whether these levels of the axis engine are programs alone; a missing axis is the engine native.
bool are_programs(const std::optional<json::Cursor>& engines) {
  if (!engines) return false;
  const auto is_program = [](const json::Node& node) {
    const auto* text = node.as<std::string>();
    return text != nullptr && (*text == "command" || *text == "command?");
  };
  const auto* list = engines->node.as<json::Node::Array>();
  return list == nullptr ? is_program(engines->node) : std::ranges::all_of(*list, is_program);
}

/// The axes beside the grid: those of "when" and "include".
std::vector<json::Cursor> axes_beside(const json::Cursor& root) {
  std::vector<json::Cursor> all;
  const auto items = [&](const char* key) {
    const auto list = root.member(key);
    const bool is_list = list && list->node.as<json::Node::Array>() != nullptr;
    return is_list && !list->node.as<json::Node::Array>()->empty() ? list->list("") : std::vector<json::Cursor>();
  };
  for (const json::Cursor& include : items("include")) all.push_back(include);
  for (const json::Cursor& when : items("when")) {
    if (const auto axes = when.member("axes")) all.push_back(*axes);
  }
  return all;
}

void check_command(const Sweep& sweep, const Command& command) {
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    for (const std::string& name : placeholders_of(command.argv[i])) {
      if (is_axis_for_programs(sweep, name)) continue;
      const auto row = find_row(sweep, name);
      json::refuse(place_in(sweep, fmt::format("/commands/{}/argv/{}", command.name, i)),
                   {fmt::format("the placeholder {{{}}}", name),
                    row && !may_be_shared(*row)
                        ? fmt::format("an axis with a name of its own (programs do not read the parameter {})", name)
                        : fmt::format("an axis {} that it stands for, or {{{{{}}}}} for the text itself",
                                      json::quote(name), name),
                    ""});
    }
  }
  std::map<std::string, std::string> axis_of = {{"REGATTA_PARAMETERS", "all of them"},
                                                {"REGATTA_PARAMETERS_FILE", "the file of all of them"},
                                                {"REGATTA_RESULTS_FILE", "the file of results"},
                                                {"REGATTA_START_FOLDER", "the folder that Regatta was started in"},
                                                {"REGATTA_WORKER_LINK", "the link of a worker"}};
  for (const std::string& name : command.reads) {
    const auto [other, is_new] = axis_of.try_emplace(variable_of(name), name);
    if (!is_new)
      json::refuse(place_in(sweep, "/axes/" + name),
                   {fmt::format("the axis {} beside {}, which the command {} would find in one variable, {}",
                                json::quote(name), other->second, command.name, other->first),
                    "names that differ in more than case, dots and hyphens", ""});
    if (is_axis_for_programs(sweep, name)) continue;
    json::refuse(place_in(sweep, fmt::format("/commands/{}/reads", command.name)),
                 {json::quote(name) + ", which is no axis of this sweep", "the name of an axis", ""});
  }
}

}  // namespace

bool may_be_own(const Sweep& sweep, std::string_view name) {
  return is_own_name(name) && (model::is_place(name) || is_read_by_some_command(sweep, std::string(name)));
}

bool may_be_shared(const Param& row) {
  return !is_of_the_run(row) && row != Param::model && row != Param::dataset && row != Param::accumulate;
}

std::optional<Param> find_row(const Sweep& sweep, std::string_view name) {
  return sweep.own_rows.contains(std::string(name)) ? std::nullopt : find_param(name);
}

void note_own_rows(const json::Cursor& root, Sweep& sweep) {
  const auto axes = root.member("axes");
  if (!axes || !are_programs(axes->member("engine"))) return;
  for (const json::Cursor& beside : axes_beside(root)) {
    const auto engines = beside.member("engine");
    if (engines && !are_programs(engines)) return;
  }
  for (const auto& [name, command] : sweep.commands) {
    for (const std::string& read : command.reads) {
      const auto row = find_param(read);
      if (row && !is_of_the_run(*row)) sweep.own_rows.insert(read);
    }
  }
}

bool may_be_axis_of_program(std::string_view name) {
  const auto row = find_param(name);
  return is_own_name(name) && !is_named_by_results(name) && (!row || !is_of_the_run(*row));
}

void refuse_taken_name(const json::Place& place, std::string_view name) {
  if (!is_named_by_results(name)) return;
  json::refuse(place, {fmt::format("the axis {}, as which results know something else", json::quote(name)),
                       "another name (none that begins with m_, f_ or baseline_)", ""});
}

std::string variable_of(std::string_view name) {
  std::string variable = "REGATTA_";
  for (const char c : name)
    variable += c == '.' || c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

std::optional<Param> find_own(const Sweep& sweep, std::string_view name) {
  const std::vector<Param> params = axis_params(sweep);
  const auto found = std::ranges::find_if(params, [&](const Param& param) { return param.own_name() == name; });
  return found == params.end() || !found->is_own() ? std::nullopt : std::optional(*found);
}

Kind own_kind(std::string_view name, const json::Cursor& levels) {
  const bool is_of_model = model::is_place(name);
  const bool is_of_range = has_range(levels);
  std::optional<Kind> kind;
  each_value(levels, false, [&](const json::Cursor& value) {
    const Kind one = kind_of(value.node);
    kind = kind ? together(*kind, one) : one;
    if (kind != Kind::json) return;
    if (is_of_model) value.refuse(one_kind);
    if (is_of_range) value.refuse("levels of one kind beside a range: numbers");
  });
  if (!kind) levels.refuse("at least one level");
  return *kind;
}

namespace {

/// Whether a level on the command line is a list, an object or null.
bool is_json(const std::string& text) {
  const auto node = json::as_json(text);
  return node && kind_of(*node) == Kind::json;
}

}  // namespace

Kind own_kind(const std::vector<std::string>& levels) {
  std::optional<Kind> kind;
  for (const std::string& text : levels) {
    const char* const last = text.data() + text.size();
    std::int64_t integer = 0;
    double real = 0;
    const auto is_all = [&](const std::from_chars_result& read) { return read.ec == std::errc{} && read.ptr == last; };
    Kind one = text == "true" || text == "false" ? Kind::flag : Kind::text;
    if (is_all(std::from_chars(text.data(), last, integer)))
      one = Kind::integer;
    else if (is_all(std::from_chars(text.data(), last, real)))
      one = Kind::real;
    if (one == Kind::text && is_json(text)) one = Kind::json;
    const Kind both = kind ? together(*kind, one) : one;
    kind = both == Kind::json && one != Kind::json && kind != Kind::json ? Kind::text : both;
  }
  return kind.value_or(Kind::text);
}

void check_own_axes(const Sweep& sweep) {
  const std::vector<Param> params = axis_params(sweep);
  const bool has_own = std::ranges::any_of(params, &Param::is_own);
  const std::vector<model::Model> models = has_own ? models_of(sweep) : std::vector<model::Model>();
  for (const Param& param : params) {
    if (param.is_own()) check_axis(sweep, param, models);
  }
  for (const auto& [name, command] : sweep.commands) check_command(sweep, command);
}

}  // namespace regatta::sweep
