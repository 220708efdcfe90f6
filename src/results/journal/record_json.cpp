#include "results/journal/record_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/results/machine_json.hpp"
#include "regatta/results/parameters_of.hpp"
#include "regatta/results/slot_cores.hpp"
#include "regatta/results/value_json.hpp"
#include "results/rows/json_values.hpp"

namespace regatta::results {
namespace {

using sweep::FailureKind;

sweep::Value parse_value(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

Json to_json(const std::vector<sweep::Axis>& axes) {
  Json list = Json::array();
  for (const sweep::Axis& axis : axes) {
    Json levels = Json::array();
    for (const sweep::Value& level : axis.levels) levels.push_back(json_of<Json>(level));
    Json written = {{"axis", sweep::name_of(axis.param)}, {"levels", std::move(levels)}};
    if (axis.param.is_own()) written["own"] = own_kind_names[static_cast<std::size_t>(axis.param.kind())];
    list.push_back(std::move(written));
  }
  return list;
}

std::vector<sweep::Axis> parse_axes(const Json& json) {
  std::vector<sweep::Axis> axes;
  for (const Json& item : json) {
    const auto name = item.at("axis").get<std::string>();
    const auto param = item.contains("own") ? std::optional(own_axis(name, item.at("own").get<std::string>()))
                                            : sweep::find_param(name);
    if (!param) throw InputError(fmt::format("it names an axis '{}' that this version does not know", name));
    axes.push_back({*param, {}});
    for (const Json& level : item.at("levels")) axes.back().levels.push_back(parse_value(level));
  }
  return axes;
}

Hash128 parse_hash(const std::string& text) {
  const auto hash = parse_hash128(text);
  if (!hash) throw InputError(fmt::format("'{}' is no id", text));
  return *hash;
}

std::vector<Hash128> split(const std::string& text) {
  std::vector<Hash128> hashes;
  for (std::size_t at = 0; at < text.size(); at += 32) hashes.push_back(parse_hash(text.substr(at, 32)));
  return hashes;
}

FailureKind parse_kind(const std::string& text) {
  const auto kind = sweep::state_of<FailureKind>(sweep::failure_names, text);
  if (!kind) throw InputError(fmt::format("it names a kind of failure '{}' that this version does not know", text));
  return *kind;
}

sweep::Verified parse_verified(const std::string& text) {
  const auto verified = sweep::state_of<sweep::Verified>(sweep::verified_names, text);
  if (!verified) throw InputError(fmt::format("it calls an arm's work '{}', which this version does not know", text));
  return *verified;
}

sweep::Outcome parse_outcome(const Json& json) {
  const auto status = json.at("status").get<std::string>();
  if (status == "finished") return sweep::Finished{};
  if (status == "skipped") return sweep::Skipped{json.at("reason").get<std::string>()};
  if (status == "failed") {
    return sweep::Failed{parse_kind(json.at("failure").get<std::string>()), json.at("message").get<std::string>()};
  }
  throw InputError(fmt::format("it names an outcome '{}' that this version does not know", status));
}

std::vector<int> cores_of(const Json& json) {
  std::vector<int> cores;
  for (const Json& core : json) cores.push_back(as_integer<int>(core, "core"));
  return cores;
}

/// The library would turn any number into an integer, one that no integer holds included.
template <class Type>
Type fact_value(const Json& json, std::string_view tag) {
  if constexpr (std::is_same_v<Type, std::int64_t>) return as_integer<Type>(json, tag);
  return json.get<Type>();
}

void parse_facts(const Json& json, sweep::Facts& facts) {
  for (const sweep::FactInfo& row : sweep::fact_table) {
    const auto found = json.find(row.tag);
    if (found == json.end() || found->is_null()) continue;
    const auto value = [&](const auto& zero) { return fact_value<std::decay_t<decltype(zero)>>(*found, row.tag); };
    std::visit([&](const auto& zero) { sweep::set(facts, row.fact, value(zero)); }, row.zero);
  }
}

sweep::ArmOutcome parse_arm(const Json& json) {
  sweep::ArmOutcome arm;
  arm.trial = parse_hash(json.at("trial").get<std::string>());
  arm.outcome = parse_outcome(json);
  arm.environment = json.at("environment").get<std::string>();
  arm.engine = json.at("engine").get<std::string>();
  arm.verified = parse_verified(json.at("verified").get<std::string>());
  parse_facts(json, arm.facts);
  if (json.contains("intervention")) arm.intervention = json.at("intervention").get<std::string>();
  return arm;
}

/// Parses a record's JSON and hands it to `read`; what does not fit becomes one InputError.
template <class Read>
auto read_json(const Record& record, const char* kind, Read&& read) {
  try {
    return read(parse_flat(record.payload));
  } catch (const nlohmann::json::exception& error) {
    throw unreadable(record, kind, error.what());
  } catch (const InputError& error) {
    throw unreadable(record, kind, error.what());
  }
}

}  // namespace

InputError unreadable(const Record& record, const char* kind, const std::string& why) {
  return InputError(
      fmt::format("a {} record in the journal (record {}, at byte {}) cannot be read: {} (its checksum is right, so "
                  "another version wrote it); collect with the version that wrote it",
                  kind, record.place.sequence, record.place.byte, why));
}

std::uint32_t attempt_of(const Record& record) {
  if (std::in_range<std::int32_t>(record.attempt)) return record.attempt;
  throw InputError(fmt::format("its attempt is {}, which is no such number", record.attempt));
}

std::string axes_text(const std::vector<sweep::Axis>& axes) { return text_of(to_json(axes)); }

std::vector<sweep::Axis> parse_axes(const std::string& text) {
  try {
    return parse_axes(parse_flat(text));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(error.what());
  }
}

Record to_record(const HeaderRecord& header, const Hash128& sweep) {
  const Provenance& provenance = header.provenance;
  Json json = {{"name", header.name},
               {"regatta_version", provenance.regatta_version},
               {"created", provenance.created},
               {"command_line", provenance.command_line},
               {"sweep_file", provenance.sweep_file},
               {"git_commit", provenance.git_commit},
               {"versions", provenance.versions}};
  if (!provenance.origins.empty()) json["origins"] = provenance.origins;
  if (provenance.keeps_changed) json["keeps_changed"] = true;
  if (!provenance.spreads.is_empty()) json["pair_spreads"] = to_json(provenance.spreads);
  return {RecordKind::header, sweep, journal_version, text_of(json)};
}

HeaderRecord parse_header(const Record& record) {
  return read_json(record, "header", [](const Json& json) {
    HeaderRecord header;
    header.name = json.at("name").get<std::string>();
    header.provenance.regatta_version = json.at("regatta_version").get<std::string>();
    header.provenance.created = json.at("created").get<std::string>();
    header.provenance.command_line = json.at("command_line").get<std::string>();
    header.provenance.sweep_file = json.at("sweep_file").get<std::string>();
    header.provenance.git_commit = json.at("git_commit").get<std::string>();
    header.provenance.versions = json.at("versions").get<std::map<std::string, std::string>>();
    header.provenance.origins = json.value("origins", sweep::Origins{});
    header.provenance.keeps_changed = json.value("keeps_changed", false);
    header.provenance.spreads = parse_spreads(json.value("pair_spreads", std::string()));
    return header;
  });
}

PlanRecord parse_plan_line(const Record& record) {
  return read_json(record, "plan", [](const Json& json) {
    return PlanRecord{json.at("sweep").get<std::string>(),
                      json.at("file").get<std::string>(),
                      parse_axes(json.at("axes")),
                      split(json.at("trials").get<std::string>()),
                      split(json.at("blocks").get<std::string>()),
                      json.value("changes", std::vector<std::string>{})};
  });
}

Record to_record(const AgentRecord& agent, const Hash128& sweep) {
  const Json json = {{"agent", agent.agent},
                     {"host", Json::parse(to_json(agent.host))},
                     {"device",
                      {{"kind", agent.slot.kind},
                       {"name", agent.slot.name},
                       {"cores", agent.slot.cores},
                       {"flags", agent.slot.flags},
                       {"calibration", Json::parse(to_json(agent.slot.calibration))}}}};
  return {RecordKind::agent, sweep, 0, text_of(json)};
}

AgentRecord parse_agent(const Record& record) {
  return read_json(record, "agent", [](const Json& json) {
    AgentRecord agent;
    agent.agent = integer<std::uint32_t>(json, "agent");
    agent.host = parse_host(json.at("host").dump());
    const Json& device = json.at("device");
    SlotRow& slot = agent.slot;
    slot.kind = device.at("kind").get<std::string>();
    slot.name = device.at("name").get<std::string>();
    slot.cores = device.contains("cores") ? cores_of(device.at("cores")) : cores_in_name(slot.name);
    slot.flags = device.at("flags").get<std::string>();
    if (device.contains("calibration")) slot.calibration = parse_calibration(device.at("calibration").dump());
    return agent;
  });
}

Record to_record(const SessionEndRecord& end, const Hash128& sweep) {
  const PassesTaken& taken = end.taken;
  Json json = end.passes_due ? Json{{"passes_due", true},
                                    {"again", taken.again},
                                    {"on", taken.on},
                                    {"best_are_settled", taken.best_are_settled},
                                    {"early", taken.early}}
                             : Json::object();
  if (end.out_of_reach) json["out_of_reach"] = true;
  return {RecordKind::session_end, sweep, 0, text_of(json)};
}

SessionEndRecord parse_session_end(const Record& record) {
  return read_json(record, "session_end", [](const Json& json) {
    const auto passes = [&](const char* key) { return json.contains(key) ? integer<int>(json, key, 0) : 0; };
    return SessionEndRecord{json.value("passes_due", false),
                            {passes("again"), passes("on"), json.value("best_are_settled", false), passes("early")},
                            json.value("out_of_reach", false)};
  });
}

Record to_record(const Orchestration& self, const Hash128& sweep) {
  Json json;
  for (const OrchestrationField& field : orchestration_fields) json[std::string(field.name)] = self.*field.value;
  return {RecordKind::orchestration, sweep, 0, text_of(json)};
}

Orchestration parse_orchestration(const Record& record) {
  return read_json(record, "orchestration?", [](const Json& json) {
    Orchestration self;
    for (const OrchestrationField& field : orchestration_fields) {
      const std::string key(field.name);
      if (json.contains(key)) self.*field.value = number(json, key.c_str());
    }
    return self;
  });
}

ResultRecord parse_result_line(const Record& record) {
  return read_json(record, "result", [&](const Json& json) {
    ResultRecord result;
    result.block.block = record.hash;
    result.block.attempt = attempt_of(record);
    result.block.agent = integer<std::uint32_t>(json, "agent");
    result.block.start_wall_seconds = number(json, "start_wall_seconds");
    result.block.end_wall_seconds = number(json, "end_wall_seconds");
    result.block.flags = json.at("flags").get<std::vector<std::string>>();
    for (const Json& arm : json.at("arms")) result.block.arms.push_back(parse_arm(arm));
    result.block.continues = json.value("continues", false);
    result.block.measured_again = json.value("measured_again", false);
    const Json& samples = json.at("samples");
    result.samples = {integer<std::uint64_t>(samples, "offset"), integer<std::uint64_t>(samples, "count"),
                      integer<std::uint32_t>(samples, "crc")};
    return result;
  });
}

FailedAttemptRecord parse_failed_attempt_line(const Record& record) {
  return read_json(record, "failed_attempt", [&](const Json& json) {
    return FailedAttemptRecord{record.hash, parse_hash(json.at("trial").get<std::string>()), attempt_of(record),
                               parse_kind(json.at("failure").get<std::string>()),
                               json.at("message").get<std::string>()};
  });
}

}  // namespace regatta::results
