// Parameters as JSON text: the canonical form that trials are identified by.
#include <fmt/format.h>

#include "regatta/base/error.hpp"
#include "regatta/json/document.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/parameters.hpp"
#include "sweep/parameters/parameters.hpp"

namespace regatta::sweep {
namespace {

/// Whether the key stands beside the parameters in Trial::canonical().
bool is_written_out_part(std::string_view key) {
  return key == "model_spec" || key == "command_spec" || key == "dataset_spec" || key == "train_spec";
}

Value read_value(const ParamInfo& row, const json::Node& node) {
  if (node.as<std::monostate>() != nullptr) return {};
  if (const auto* text = node.as<std::string>(); text != nullptr && row.type == ParamType::text) return *text;
  if (const auto* integer = node.as<std::int64_t>(); integer != nullptr && row.type == ParamType::integer)
    return *integer;
  if (const auto* real = node.as<json::Real>(); real != nullptr && row.type == ParamType::real) return real->value;
  if (const auto* integer = node.as<std::int64_t>(); integer != nullptr && row.type == ParamType::real)
    return static_cast<double>(*integer);
  throw InputError(fmt::format("parameters: /{}: found {}, expected {} or null", row.name, json::describe(node),
                               row.type == ParamType::text      ? "a text"
                               : row.type == ParamType::integer ? "an integer"
                                                                : "a number"));
}

/// {"alg":"a","n":64}: the values of a sweep's own axes.
void read_own(const json::Node& node, Parameters& parameters) {
  using Kind = Param::OwnKind;
  const auto* members = node.as<json::Node::Object>();
  if (members == nullptr)
    throw InputError(fmt::format("parameters: /own: found {}, expected an object", json::describe(node)));
  for (const auto& [key, line, value] : *members) {
    if (const auto* text = value.as<std::string>())
      parameters.set(Param::own(key, Kind::text), *text);
    else if (const auto* integer = value.as<std::int64_t>())
      parameters.set(Param::own(key, Kind::integer), *integer);
    else if (const auto* real = value.as<json::Real>())
      parameters.set(Param::own(key, Kind::real), real->value);
    else if (const auto* flag = value.as<bool>())
      parameters.set(Param::own(key, Kind::flag), std::string(*flag ? "true" : "false"));
    else
      parameters.set(Param::own(key, Kind::json), json::compact(value));
  }
}

}  // namespace

void append_json(std::string& out, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    const fmt::format_int digits(*integer);
    out.append(digits.data(), digits.size());
  } else if (const auto* number = std::get_if<double>(&value)) {
    out += json::json_number(*number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    json::append_quoted(out, *text);
  } else {
    out += "null";
  }
}

std::string to_json(const Value& value) {
  std::string json;
  append_json(json, value);
  return json;
}

std::string to_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::holds_alternative<std::monostate>(value) ? "\u2013" : to_json(value);
}

namespace {

/// ,"name": for each row, by its number: a plan writes a million trials.
const std::array<std::string, param_count>& keys_of_rows() {
  static const auto keys = [] {
    std::array<std::string, param_count> made;
    for (const ParamInfo& row : parameter_table())
      made[static_cast<std::size_t>(row.param.known())] = "," + json::quote(row.name) + ":";
    return made;
  }();
  return keys;
}

}  // namespace

void append_json(std::string& out, const Parameters& parameters, Nulls nulls) {
  const auto& keys = keys_of_rows();
  out += '{';
  for (const ParamInfo& row : parameter_table()) {
    const Value& value = parameters[row.param];
    if (nulls == Nulls::left_out && std::holds_alternative<std::monostate>(value)) continue;
    out += keys[static_cast<std::size_t>(row.param.known())].data() + (out.back() == '{' ? 1 : 0);
    append_json(out, value);
  }
  if (!parameters.own().empty()) out += ",\"own\":" + own_json(parameters);
  out += '}';
}

std::string own_level_json(const Param& param, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (param.kind() == Param::OwnKind::json && text != nullptr && json::as_json(*text)) return *text;
  return param.kind() == Param::OwnKind::flag ? std::get<std::string>(value) : to_json(value);
}

std::string own_json(const Parameters& parameters) {
  std::string out = "{";
  for (const auto& [param, value] : parameters.own()) {
    if (out.back() != '{') out += ',';
    json::append_quoted(out, param.own_name());
    out += ':';
    out += own_level_json(param, value);
  }
  return out + '}';
}

std::string to_json(const Parameters& parameters) {
  std::string json;
  append_json(json, parameters);
  return json;
}

Parameters parse_parameters(std::string_view json) {
  const json::Node root = json::parse(json, "parameters");
  const auto* members = root.as<json::Node::Object>();
  if (members == nullptr)
    throw InputError(fmt::format("parameters: found {}, expected an object", json::describe(root)));
  Parameters parameters;
  for (const json::Member& member : *members) {
    if (is_written_out_part(member.key)) continue;
    if (member.key == "own") {
      read_own(member.node, parameters);
      continue;
    }
    const auto param = find_param(member.key);
    if (!param) throw InputError(fmt::format("parameters: found the unknown parameter {}", json::show(member.key)));
    parameters.set(*param, read_value(info(*param), member.node));
  }
  return parameters;
}

}  // namespace regatta::sweep
