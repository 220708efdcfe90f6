#include "sweep/read/own_axes.hpp"

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

Command with_values(Command command, const Parameters& parameters) {
  const auto text_at = [&](std::string_view name) {
    if (const auto row = find_param(name)) return to_text(parameters[*row]);
    const Value& value = parameters[Param::own(name, Param::OwnKind::text)];  // found by its name alone
    return std::holds_alternative<std::monostate>(value) ? std::string() : to_text(value);
  };
  for (std::string& word : command.argv) word = with_placeholders_replaced(word, text_at);
  for (const auto& [param, value] : parameters.own()) command.variables[variable_of(param.own_name())] = to_text(value);
  if (!parameters.own().empty()) command.variables["REGATTA_PARAMETERS"] = own_json(parameters);
  return command;
}

}  // namespace regatta::sweep
