#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::launcher {
namespace {

using Json = nlohmann::ordered_json;
using sweep::Param;

/// The keys that name the points or say what is done with several. All other keys are about how a trial runs.
constexpr const char* keys_of_many[] = {"axes",  "zip",     "include", "exclude", "when",
                                        "pairs", "compare", "repeats", "samples", "random"};

bool is_called(const Json& node, const std::string& name) {
  try {
    return node.is_object() && model::name_of(model::parse_model(node.dump())) == name;
  } catch (const InputError&) {
    return false;
  }
}

/// The model of this name wherever the sweep writes it out.
std::optional<Json> written_out(const Json& node, const std::string& name) {
  if (!node.is_structured()) return std::nullopt;
  if (is_called(node, name)) return node;
  for (const Json& child : node) {
    if (auto found = written_out(child, name)) return found;
  }
  return std::nullopt;
}

Json level_of(const Json& sweep, const Param& param, const sweep::Value& value) {
  const Json plain = Json::parse(sweep::to_json(value));
  if (param != Param::model) return plain;
  const auto names = model::model_names();
  const std::string name = plain.get<std::string>();
  if (std::ranges::find(names, name) != names.end()) return plain;
  if (auto model = written_out(sweep, name)) return *model;
  throw InputError(fmt::format(
      "the stored sweep does not write out the model '{}' (so it cannot be built again); run the sweep again "
      "instead",
      name));
}

/// Other commands would ask for axes that this trial does not have.
void keep_command(Json& lone, const sweep::Parameters& trial) {
  const auto* name = std::get_if<std::string>(&trial[Param::command]);
  const auto commands = lone.find("commands");
  if (commands == lone.end() || !commands->is_object()) return;
  const Json kept = name != nullptr && commands->contains(*name) ? Json{{*name, commands->at(*name)}} : Json::object();
  if (kept.empty())
    lone.erase("commands");
  else
    *commands = kept;
}

}  // namespace

std::string lone_sweep(const std::string& sweep_json, const sweep::Parameters& trial) {
  const Json stored = Json::parse(sweep_json, nullptr, false);
  if (!stored.is_object())
    throw InputError(
        "the stored sweep is no JSON object (so its row cannot be run again); run the sweep again instead");
  Json lone = stored;
  for (const char* key : keys_of_many) lone.erase(key);
  if (lone.contains("measure") && lone["measure"].is_object()) {
    lone["measure"].erase("explain");
    lone["measure"].erase("total");
  }
  Json axes = Json::object();
  for (const sweep::ParamInfo& row : sweep::parameter_table()) {
    const sweep::Value& value = trial[row.param];
    if (std::holds_alternative<std::monostate>(value) || row.param == Param::repeat) continue;
    axes[std::string(row.name)] = Json::array({level_of(stored, row.param, value)});
  }
  const Json own = Json::parse(sweep::own_json(trial));
  for (const auto& [name, level] : own.items()) axes[name] = Json::array({level});
  lone["axes"] = std::move(axes);
  keep_command(lone, trial);
  return lone.dump(1);
}

}  // namespace regatta::launcher
