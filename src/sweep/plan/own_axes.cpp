#include "sweep/read/own_axes.hpp"

#include <utility>

#include "regatta/json/text.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/parameters/parameters.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {

bool is_place(const Param& param) { return param.is_own() && model::is_place(param.own_name()); }

bool reads_own(const Sweep& sweep, const Parameters& parameters, const model::Model* model, const Param& param) {
  if (model != nullptr) return is_place(param) && model::has_place(*model, param.own_name());
  const auto* command = std::get_if<std::string>(&parameters[Param::command]);
  return command != nullptr && sweep.commands.at(*command).reads.contains(std::string(param.own_name()));
}

std::vector<model::PlacedValue> placed_values(const Parameters& parameters) {
  std::vector<model::PlacedValue> placed;
  for (const auto& [param, value] : parameters.own()) {
    if (is_place(param)) placed.push_back({std::string(param.own_name()), own_level_json(param, value)});
  }
  return placed;
}

namespace {

/// Null where nothing gives the program this axis.
const Value& value_read(const Parameters& parameters, std::string_view name) {
  const Value& own = parameters[Param::own(name, Param::OwnKind::text)];  // found by its name alone
  const auto row = find_param(name);
  return std::holds_alternative<std::monostate>(own) && row ? parameters[*row] : own;
}

/// Whether the word is `{n}` or `--n={n}`: nothing of it is left without the value.
bool is_one_value(const std::string& word) {
  const std::vector<std::string> names = placeholders_of(word);
  if (names.size() != 1) return false;
  const std::string value = "{" + names.front() + "}";
  return word == value || (word.starts_with('-') && word.ends_with("=" + value));
}

/// The rows of the table that the program reads beside its own axes.
std::vector<Param> shared_rows(const Command& command, const Parameters& parameters) {
  std::vector<Param> rows;
  for (const std::string& name : command.reads) {
    const auto row = find_param(name);
    if (row && may_be_shared(*row) && !std::holds_alternative<std::monostate>(parameters[*row])) rows.push_back(*row);
  }
  return rows;
}

/// As members of a JSON object.
std::string members_of(const std::vector<Param>& rows, const Parameters& parameters) {
  std::string members;
  for (const Param& row : rows)
    members += (members.empty() ? "" : ",") + json::quote(name_of(row)) + ":" + to_json(parameters[row]);
  return members;
}

}  // namespace

std::vector<std::string> argv_with_values(const std::vector<std::string>& argv, const Parameters& parameters) {
  bool is_absent = false;
  const auto text_at = [&](std::string_view name) {
    const Value& value = value_read(parameters, name);
    is_absent = std::holds_alternative<std::monostate>(value);
    return is_absent ? std::string() : to_text(value);
  };
  std::vector<std::string> words;
  for (const std::string& word : argv) {
    is_absent = false;
    std::string text = with_placeholders_replaced(word, text_at);
    if (!is_absent || words.empty() || !is_one_value(word)) words.push_back(std::move(text));
  }
  return words;
}

Command with_values(Command command, const Parameters& parameters) {
  command.argv = argv_with_values(command.argv, parameters);
  for (const auto& [param, value] : parameters.own()) command.variables[variable_of(param.own_name())] = to_text(value);
  for (const Param& row : shared_rows(command, parameters))
    command.variables[variable_of(name_of(row))] = to_text(parameters[row]);
  const std::string shared = members_of(shared_rows(command, parameters), parameters);
  const std::string own = own_json(parameters);
  if (shared.empty() && parameters.own().empty()) return command;
  const char* const comma = shared.empty() || parameters.own().empty() ? "" : ",";
  command.variables["REGATTA_PARAMETERS"] = "{" + shared + comma + own.substr(1);
  return command;
}

}  // namespace regatta::sweep
