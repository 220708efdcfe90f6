#include "regatta/results/machine_json.hpp"

#include "regatta/base/error.hpp"
#include "results/rows/json_values.hpp"

namespace regatta::results {
namespace {

template <class Read>
auto read_json(const std::string& text, Read&& read) {
  try {
    return read(parse_flat(text));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(words_of(error));
  }
}

}  // namespace

std::string to_json(const Host& host) {
  return text_of({{"name", host.name},
                  {"cpu_model", host.cpu_model},
                  {"sockets", host.sockets},
                  {"cores", host.cores},
                  {"memory_bytes", host.memory_bytes},
                  {"kernel", host.kernel},
                  {"governor", host.governor},
                  {"node", host.node}});
}

Host parse_host(const std::string& json) {
  return read_json(json, [](const Json& read) {
    return Host{read.at("name").get<std::string>(),          read.at("cpu_model").get<std::string>(),
                integer<std::int64_t>(read, "sockets"),      integer<std::int64_t>(read, "cores"),
                integer<std::int64_t>(read, "memory_bytes"), read.at("kernel").get<std::string>(),
                read.at("governor").get<std::string>(),      read.at("node").get<std::string>()};
  });
}

std::string to_json(const Calibration& c) {
  Json json = {{"threads", c.threads},
               {"isa", c.isa},
               {"core_peak_flops_per_second", c.core_peak_flops_per_second},
               {"peak_flops_per_second", c.peak_flops_per_second},
               {"memory_bytes_per_second", c.memory_bytes_per_second},
               {"copy_bytes_per_second", c.copy_bytes_per_second},
               {"measured_wall_seconds", c.measured_wall_seconds}};
  if (!c.device.uuid.empty()) json["device"] = Json::parse(to_json(c.device));
  return text_of(json);
}

std::string to_json(const DeviceRates& rates) {
  Json json = {{"uuid", rates.uuid}};
  for (const DeviceRate& rate : device_rates) json[std::string(rate.key)] = rates.*rate.value;
  return text_of(json);
}

DeviceRates parse_device_rates(const std::string& json) {
  return read_json(json, [](const Json& read) {
    DeviceRates rates;
    rates.uuid = read.at("uuid").get<std::string>();
    for (const DeviceRate& rate : device_rates) rates.*rate.value = number(read, rate.key.data());
    return rates;
  });
}

Calibration parse_calibration(const std::string& json) {
  return read_json(json, [](const Json& read) {
    Calibration c;
    c.threads = integer<std::int64_t>(read, "threads");
    c.isa = read.at("isa").get<std::string>();
    c.core_peak_flops_per_second = number(read, "core_peak_flops_per_second");
    c.peak_flops_per_second = number(read, "peak_flops_per_second");
    c.memory_bytes_per_second = number(read, "memory_bytes_per_second");
    c.copy_bytes_per_second = number(read, "copy_bytes_per_second");
    c.measured_wall_seconds = read.value("measured_wall_seconds", 0.0);
    if (read.contains("device")) c.device = parse_device_rates(read.at("device").dump());
    return c;
  });
}

}  // namespace regatta::results
