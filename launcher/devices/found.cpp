#include "devices/found.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/host.hpp"
#include "os/ask_program.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

constexpr double patience_seconds = 60;

int number_in(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "0-3,8" as the kernel writes it.
std::vector<int> cores_in(const std::string& list) {
  std::vector<int> cores;
  std::istringstream pieces(list);
  for (std::string piece; std::getline(pieces, piece, ',');) {
    const auto dash = piece.find('-');
    const int first = number_in(piece);
    const int last = dash == std::string::npos ? first : number_in(std::string_view(piece).substr(dash + 1));
    for (int core = first; core >= 0 && core <= last; ++core) cores.push_back(core);
  }
  return cores;
}

}  // namespace

FoundDevices find_devices(const std::filesystem::path& worker, sweep::DeviceKind kind) {
  const auto answer = output_of({worker.string(), "devices"}, {}, patience_seconds);
  FoundDevices found;
  if (!answer) {
    found.problem = fmt::format(
        "'{} devices' does not answer within {:.0f} s, or dies (a driver that hangs?); run it by hand to see why",
        worker.string(), patience_seconds);
    return found;
  }
  try {
    return parse_found_devices(*answer, kind);
  } catch (const PeerLost& error) {
    found.problem = error.what();
    return found;
  }
}

FoundDevices parse_found_devices(const std::string& text, sweep::DeviceKind kind) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text).at(sweep::to_string(kind));
    FoundDevices found{json.at("plugin"), json.at("versions"), json.at("problem"), {}};
    for (const auto& row : json.at("devices")) {
      found.devices.push_back({{kind, row.at("name"), row.at("uuid"), row.at("index")},
                               row.at("bus_id"),
                               row.at("memory_bytes"),
                               row.at("compute_capability")});
    }
    return found;
  } catch (const nlohmann::json::exception& error) {
    throw PeerLost(fmt::format(
        "the worker's list of its devices cannot be read ({}); use worker and launcher of one build", error.what()));
  }
}

std::vector<int> cores_near(const std::filesystem::path& sys, const std::string& bus_id) {
  constexpr std::size_t domain_digits = 4;  // the driver writes eight
  const auto colon = bus_id.find(':');
  if (colon == std::string::npos || colon < domain_digits) return {};
  std::string name = bus_id.substr(colon - domain_digits);
  for (char& c : name) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return cores_in(first_line(sys / "bus/pci/devices" / name / "local_cpulist"));
}

std::string visible_name(const std::string& visible, std::int32_t index) {
  std::istringstream names(visible);
  std::string name;
  for (std::int32_t i = 0; i <= index; ++i) {
    if (!std::getline(names, name, ',')) return std::to_string(index);
  }
  return name;
}

}  // namespace regatta::launcher
