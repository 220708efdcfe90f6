#include "sweep/read/own_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "regatta/json/text.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/places.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

using Kind = Param::OwnKind;

constexpr const char* one_kind = "levels of one kind: numbers, texts, or true and false";

bool is_read_by_some_command(const Sweep& sweep, const std::string& name) {
  return std::ranges::any_of(sweep.commands, [&](const auto& each) { return each.second.reads.contains(name); });
}

/// The scalars of an axis: levels, the ends of ranges, what is chosen from.
void each_scalar(const json::Cursor& cursor, const std::function<void(const json::Cursor&)>& visit) {
  if (cursor.is_object()) {
    for (const char* const key : {"linear", "geometric", "uniform", "log_uniform", "choice"}) {
      if (const auto inner = cursor.member(key)) each_scalar(*inner, visit);
    }
  } else if (cursor.node.as<json::Node::Array>() != nullptr) {
    for (const json::Cursor& item : cursor.list(one_kind)) each_scalar(item, visit);
  } else {
    visit(cursor);
  }
}

std::optional<Kind> kind_of(const json::Node& node) {
  if (node.as<std::string>() != nullptr) return Kind::text;
  if (node.as<std::int64_t>() != nullptr) return Kind::integer;
  if (node.as<json::Real>() != nullptr) return Kind::real;
  return node.as<bool>() != nullptr ? std::optional(Kind::flag) : std::nullopt;
}

/// Whole numbers among others are real ones.
std::optional<Kind> together(Kind a, Kind b) {
  const auto is_number = [](Kind kind) { return kind == Kind::integer || kind == Kind::real; };
  if (a == b) return a;
  return is_number(a) && is_number(b) ? std::optional(Kind::real) : std::nullopt;
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

/// A parameter that programs read may stand in braces too.
bool is_read_by_programs(std::string_view name) {
  const auto param = find_param(name);
  Parameters program;
  program[Param::engine] = std::string("command");
  return param && *param != Param::engine && *param != Param::command && reads(program, nullptr, *param);
}

void check_command(const Sweep& sweep, const Command& command) {
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    for (const std::string& name : placeholders_of(command.argv[i])) {
      if (find_own(sweep, name) || is_read_by_programs(name)) continue;
      const bool is_row = find_param(name).has_value();
      json::refuse(place_in(sweep, fmt::format("/commands/{}/argv/{}", command.name, i)),
                   {fmt::format("the placeholder {{{}}}", name),
                    is_row ? fmt::format("an axis with a name of its own (programs do not read the parameter {})", name)
                           : fmt::format("an axis {} that it stands for, or {{{{{}}}}} for the text itself",
                                         json::quote(name), name),
                    ""});
    }
  }
  std::map<std::string, std::string> axis_of = {{"REGATTA_PARAMETERS", "all of them"},
                                                {"REGATTA_PARAMETERS_FILE", "the file of all of them"},
                                                {"REGATTA_RESULTS_FILE", "the file of results"}};
  for (const std::string& name : command.reads) {
    const auto [other, is_new] = axis_of.try_emplace(variable_of(name), name);
    if (!is_new)
      json::refuse(place_in(sweep, "/axes/" + name),
                   {fmt::format("the axis {} beside {}, which the command {} would find in one variable, {}",
                                json::quote(name), other->second, command.name, other->first),
                    "names that differ in more than case and dots", ""});
    if (find_own(sweep, name) || is_read_by_programs(name)) continue;
    json::refuse(place_in(sweep, fmt::format("/commands/{}/reads", command.name)),
                 {json::quote(name) + ", which is no axis of this sweep", "the name of an axis", ""});
  }
}

}  // namespace

bool may_be_own(const Sweep& sweep, std::string_view name) {
  return is_own_name(name) && (model::is_place(name) || is_read_by_some_command(sweep, std::string(name)));
}

void refuse_taken_name(const json::Place& place, std::string_view name) {
  constexpr std::string_view taken[] = {"trial_hash", "baseline_hash", "own",      "status",
                                        "trial",      "verdict",       "verified", "cause"};
  constexpr std::string_view prefixes[] = {"m_", "f_", "baseline_"};
  if (std::ranges::find(taken, name) == std::end(taken) &&
      std::ranges::none_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }))
    return;
  json::refuse(place, {fmt::format("the axis {}, as which results know something else", json::quote(name)),
                       "another name (none that begins with m_, f_ or baseline_)", ""});
}

std::string variable_of(std::string_view name) {
  std::string variable = "REGATTA_";
  for (const char c : name) variable += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

std::optional<Param> find_own(const Sweep& sweep, std::string_view name) {
  const std::vector<Param> params = axis_params(sweep);
  const auto found = std::ranges::find_if(params, [&](const Param& param) { return param.own_name() == name; });
  return found == params.end() || !found->is_own() ? std::nullopt : std::optional(*found);
}

Kind own_kind(const json::Cursor& levels) {
  std::optional<Kind> kind;
  each_scalar(levels, [&](const json::Cursor& scalar) {
    const auto one = kind_of(scalar.node);
    const auto both = one && kind ? together(*kind, *one) : one;
    if (!both) scalar.refuse(one_kind);
    kind = both;
  });
  if (!kind) levels.refuse("at least one level");
  return *kind;
}

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
    kind = kind ? together(*kind, one).value_or(Kind::text) : one;
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
