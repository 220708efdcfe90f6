#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "doctor/doctor.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/report/text.hpp"

namespace regatta::launcher {
namespace {

using State = DoctorLine::State;

const char* to_string(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::degraded:
      return "degraded";
    case State::missing:
      return "missing";
  }
  return "";
}

std::vector<DeviceFound> default_devices(const Topology& topology) {
  std::vector<DeviceFound> devices;
  const int slots = default_slots(topology);
  for (int i = 0; i < slots; ++i) {
    const std::vector<int> cores = slot_for(topology, i, slots).cpus;
    devices.push_back({"cpu", fmt::format("cores {}", fmt::join(cores, ",")), cores});
  }
  return devices;
}

/// Nothing about devices where the worker has no part for them and the machine has none.
std::vector<DoctorLine> native_device_lines(const std::filesystem::path& worker) {
  const FoundDevices found = find_devices(worker, sweep::DeviceKind::cuda);
  std::vector<DoctorLine> lines = {cuda_line({}, found)};
  for (const FoundDevice& device : found.devices)
    lines.push_back(device_line(device, check_device(worker, device.device)));
  return lines;
}

}  // namespace

Diagnosis diagnose(const Topology& topology, const EnvironmentPlaces& places, const std::string& mpi_version) {
  Diagnosis diagnosis;
  diagnosis.engines = find_engines(places);
  diagnosis.devices = default_devices(topology);
  std::size_t cores = 0;
  for (const MemoryDomain& domain : topology.domains) cores += domain.size();
  diagnosis.lines = {slots_line(diagnosis.devices, cores), gpu_line({}, diagnosis.engines)};
  for (DoctorLine& line : native_device_lines(places.native_worker)) diagnosis.lines.push_back(std::move(line));
  for (const auto& lines : {examine_cluster(mpi_version), examine_machine({}, cores)})
    diagnosis.lines.insert(diagnosis.lines.end(), lines.begin(), lines.end());
  return diagnosis;
}

namespace {

constexpr std::size_t detail_indent = 29;

/// The text about a thing, beside its name.
std::string paragraph(const std::string& first, const std::string& text, std::size_t columns) {
  constexpr std::size_t least_room = 20;
  std::string out;
  for (const std::string& line : report::wrap(text, std::max(columns, detail_indent + least_room) - detail_indent))
    out += (out.empty() ? first : std::string(detail_indent, ' ')) + line + "\n";
  return out;
}

std::string row(const char* state, const std::string& name, const std::string& text, std::size_t columns) {
  return paragraph(fmt::format("  {:<9} {:<16} ", state, name), text, columns);
}

std::string about(const EngineFound& engine) {
  if (!engine.problem.empty()) return engine.problem;
  if (engine.modes.empty()) return "any program";
  return fmt::format("{}: {} on {}", engine.version, fmt::join(engine.modes, ", "), fmt::join(engine.devices, ", "));
}

}  // namespace

std::string to_text(const Diagnosis& diagnosis, std::size_t columns) {
  std::string text = "Engines\n";
  for (const EngineFound& engine : diagnosis.engines) {
    const bool named = !engine.environment.empty() && engine.environment != engine.name;
    const std::string name = named ? engine.name + "@" + engine.environment : engine.name;
    text += row(engine.problem.empty() ? "ok" : "missing", name, about(engine), columns);
  }
  text += "Slots\n";
  for (const DeviceFound& device : diagnosis.devices) text += row("ok", device.kind, device.name, columns);
  text += "Machine\n";
  for (const DoctorLine& line : diagnosis.lines) {
    text += row(to_string(line.state), line.what, line.detail, columns);
    if (!line.advice.empty()) text += row("", "", "-> " + line.advice, columns);
  }
  return text;
}

std::string to_json(const Diagnosis& diagnosis) {
  nlohmann::json json = {
      {"engines", nlohmann::json::array()}, {"devices", nlohmann::json::array()}, {"lines", nlohmann::json::array()}};
  for (const EngineFound& engine : diagnosis.engines) {
    json["engines"].push_back({{"name", engine.name},
                               {"environment", engine.environment},
                               {"version", engine.version},
                               {"modes", engine.modes},
                               {"devices", engine.devices},
                               {"problem", engine.problem}});
  }
  for (const DeviceFound& device : diagnosis.devices) {
    json["devices"].push_back({{"kind", device.kind}, {"name", device.name}, {"cores", device.cores}});
  }
  for (const DoctorLine& line : diagnosis.lines) {
    json["lines"].push_back(
        {{"what", line.what}, {"state", to_string(line.state)}, {"detail", line.detail}, {"advice", line.advice}});
  }
  return escaped_json(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
}

}  // namespace regatta::launcher
