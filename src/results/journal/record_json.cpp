#include "results/journal/record_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/results/machine_json.hpp"
#include "regatta/results/parameters_of.hpp"
#include "regatta/results/value_json.hpp"
#include "results/rows/json_values.hpp"

namespace regatta::results {
namespace {

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

stats::Flags flags_of(const Json& json) {
  const auto flags = stats::flags_of_bits(json.get<std::uint64_t>());
  if (!flags) throw InputError(fmt::format("it names flags {} that this version does not know", json.dump()));
  return *flags;
}

std::vector<int> cores_of(const Json& json) {
  std::vector<int> cores;
  for (const Json& core : json) cores.push_back(as_integer<int>(core, "core"));
  return cores;
}

/// Parses a record's JSON and hands it to `read`; what does not fit becomes one InputError.
template <class Read>
auto read_json(const Record& record, const char* kind, Read&& read) {
  try {
    return read(parse_flat(record.payload));
  } catch (const nlohmann::json::exception& error) {
    throw unreadable(record, kind, words_of(error));
  } catch (const InputError& error) {
    throw unreadable(record, kind, error.what());
  }
}

}  // namespace

InputError unreadable(const Record& record, const char* kind, const std::string& why) {
  return InputError(
      fmt::format("a {} record in the journal (record {}, at byte {}) cannot be read: {}. Its checksum is right, so "
                  "another version wrote it. Collect with that version",
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
    throw InputError(words_of(error));
  }
}

namespace {

Json to_json(const BatchJob& job) {
  return {{"id", job.id},
          {"nodes", job.nodes},
          {"partition", job.partition},
          {"account", job.account},
          {"restarts", job.restarts}};
}

BatchJob parse_batch_job(const Json& json) {
  return {json.at("id"), json.at("nodes"), json.at("partition"), json.at("account"),
          integer<std::int64_t>(json, "restarts", 0)};
}

}  // namespace

Record to_record(const HeaderRecord& header, const Hash128& sweep) {
  const Provenance& provenance = header.provenance;
  Json json = {{"name", header.name},
               {"regatta_version", provenance.regatta_version},
               {"created", provenance.created},
               {"command_line", provenance.command_line},
               {"sweep_file", provenance.sweep_file},
               {"git_commit", provenance.git_commit},
               {"versions", provenance.versions}};
  if (!provenance.batch_job.id.empty()) json["batch_job"] = to_json(provenance.batch_job);
  if (!provenance.origins.empty()) json["origins"] = provenance.origins;
  if (provenance.keeps_changed) json["keeps_changed"] = true;
  if (provenance.rerun_since > 0) json["rerun_since"] = provenance.rerun_since;
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
    if (const auto job = json.find("batch_job"); job != json.end()) header.provenance.batch_job = parse_batch_job(*job);
    header.provenance.origins = json.value("origins", sweep::Origins{});
    header.provenance.keeps_changed = json.value("keeps_changed", false);
    header.provenance.rerun_since = json.value("rerun_since", 0.0);
    header.provenance.spreads = parse_spreads(json.value("pair_spreads", std::string()));
    return header;
  });
}

Record to_record(const AgentRecord& agent, const Hash128& sweep) {
  const Json json = {{"agent", agent.agent},
                     {"host", Json::parse(to_json(agent.host))},
                     {"device",
                      {{"kind", agent.slot.kind},
                       {"name", agent.slot.name},
                       {"cores", agent.slot.cores},
                       {"flags", agent.slot.flags.bits},
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
    slot.cores = cores_of(device.at("cores"));
    slot.flags = flags_of(device.at("flags"));
    slot.calibration = parse_calibration(device.at("calibration").dump());
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

}  // namespace regatta::results
