#include "job/agent_facts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using Environments = std::map<std::string, sweep::Environment>;

nlohmann::json to_json(const Environments& environments) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, environment] : environments)
    json[name] = {{"engine", environment.engine},
                  {"python", environment.python},
                  {"program", environment.program},
                  {"variables", environment.variables}};
  return json;
}

Environments environments_of(const nlohmann::json& json) {
  Environments environments;
  for (const auto& [name, members] : json.items()) {
    sweep::Environment& environment = environments[name];
    environment.name = name;
    members.at("engine").get_to(environment.engine);
    members.at("python").get_to(environment.python);
    members.at("program").get_to(environment.program);
    members.at("variables").get_to(environment.variables);
  }
  return environments;
}

std::set<sweep::DeviceKind> devices_of(const sweep::Plan& plan) {
  std::set<sweep::DeviceKind> kinds;
  for (const sweep::Trial& trial : plan.trials) kinds.insert(sweep::device_kind_of(trial.parameters));
  kinds.erase(sweep::DeviceKind::cpu);
  return kinds;
}

std::vector<std::string> names_of(const std::set<sweep::DeviceKind>& kinds) {
  std::vector<std::string> names;
  for (const sweep::DeviceKind kind : kinds) names.emplace_back(sweep::to_string(kind));
  return names;
}

std::set<sweep::DeviceKind> kinds_of(const std::vector<std::string>& names) {
  std::set<sweep::DeviceKind> kinds;
  for (const std::string& name : names) {
    if (const auto kind = sweep::state_of<sweep::DeviceKind>(sweep::device_names, name)) kinds.insert(*kind);
  }
  return kinds;
}

}  // namespace

AgentFacts agent_facts(const Job& job) {
  return {job.folder(),
          job.sweep.limits,
          devices_of(job.plan),
          job.sweep.environments,
          job.environments,
          job.options.one_by_one,
          job.sweep.training && job.sweep.training->keeps_processes};
}

std::string to_text(const AgentFacts& facts) {
  nlohmann::json json = {
      {"folder", facts.folder.string()},         {"trial_timeout_seconds", facts.limits.trial_timeout_seconds},
      {"attempts", facts.limits.attempts},       {"devices", names_of(facts.devices)},
      {"from_sweep", to_json(facts.from_sweep)}, {"from_file", to_json(facts.from_file)},
      {"one_by_one", facts.one_by_one},          {"keeps_processes", facts.keeps_processes}};
  if (facts.limits.memory_bytes) json["memory_bytes"] = *facts.limits.memory_bytes;
  return json.dump();
}

AgentFacts parse_agent_facts(const std::string& text) try {
  const nlohmann::json json = nlohmann::json::parse(text);
  AgentFacts facts;
  facts.folder = json.at("folder").get<std::string>();
  json.at("trial_timeout_seconds").get_to(facts.limits.trial_timeout_seconds);
  json.at("attempts").get_to(facts.limits.attempts);
  if (json.contains("memory_bytes")) facts.limits.memory_bytes = json.at("memory_bytes").get<std::uint64_t>();
  facts.devices = kinds_of(json.at("devices").get<std::vector<std::string>>());
  facts.from_sweep = environments_of(json.at("from_sweep"));
  facts.from_file = environments_of(json.at("from_file"));
  json.at("one_by_one").get_to(facts.one_by_one);
  json.at("keeps_processes").get_to(facts.keeps_processes);
  return facts;
} catch (const nlohmann::json::exception& error) {
  throw PeerLost(fmt::format("rank 0's facts of the run are damaged: {}", error.what()));
}

}  // namespace regatta::launcher
