#include "measuring/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "children/worker_death.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/version.hpp"

namespace regatta::launcher {
namespace {

using nlohmann::json;
using std::filesystem::path;

constexpr double timeout_seconds = 30;
constexpr std::uint64_t largest_file_bytes = 1 << 16;

// A worker that was built again has another size or date.
std::string build_text(const path& worker) {
  std::error_code none;
  const auto size = std::filesystem::file_size(worker, none);
  const auto date = std::filesystem::last_write_time(worker, none).time_since_epoch().count();
  return fmt::format("Regatta {}, worker of {} bytes from {}", regatta_version(), size, date);
}

std::string site_text(const CalibrationSite& site) {
  return fmt::format("{}; {}, {}, {}; cores {}", build_text(site.worker), site.host.name, site.host.cpu_model,
                     site.host.kernel, fmt::join(site.cpus, ","));
}

std::string site_text(const DeviceSite& site) {
  return fmt::format("{}; {} {}", build_text(site.worker), site.device.name, site.device.uuid);
}

/// A rate is positive, or not known.
void expect_rate(double rate, const char* name) {
  if (!std::isnan(rate) && (!std::isfinite(rate) || rate <= 0))
    throw PeerLost(fmt::format("a calibration's {} is {}", name, rate));
}

results::Calibration checked(const results::Calibration& c) {
  if (c.threads < 1) throw PeerLost("a calibration without threads");
  expect_rate(c.core_peak_flops_per_second, "core_peak_flops_per_second");
  expect_rate(c.peak_flops_per_second, "peak_flops_per_second");
  expect_rate(c.memory_bytes_per_second, "memory_bytes_per_second");
  expect_rate(c.copy_bytes_per_second, "copy_bytes_per_second");
  return c;
}

results::DeviceRates checked(const results::DeviceRates& rates) {
  if (rates.uuid.empty()) throw PeerLost("a calibration of a device without a uuid");
  for (const results::DeviceRate& rate : results::device_rates) expect_rate(rates.*rate.value, rate.key.data());
  return rates;
}

/// The calibration of this site in `file`, as JSON; nothing if it is older than a day.
std::optional<std::string> load(const path& file, const std::string& site) {
  const json read = json::parse(read_file(file, largest_file_bytes));
  const bool is_this_site = read.at("site").get<std::string>() == site;  // a damaged file throws, however old it seems
  const json& found = read.at("calibration");
  const double age_seconds = wall_seconds() - found.value("measured_wall_seconds", 0.0);
  const bool young = age_seconds >= 0 && age_seconds < calibration_lifetime_seconds;  // a clock may have been set
  if (young && is_this_site) return found.dump();
  return std::nullopt;
}

void save(const path& file, const std::string& site, const std::string& calibration) {
  try {
    if (!file.has_parent_path()) throw InputError("neither XDG_CACHE_HOME nor HOME names a folder");
    std::filesystem::create_directories(file.parent_path());
    json kept = json::parse(calibration);
    kept["measured_wall_seconds"] = wall_seconds();
    write_file_atomically(file, json{{"site", site}, {"calibration", kept}}.dump(2) + "\n");
  } catch (const std::exception& error) {
    log::warn(
        fmt::format("the calibration of this slot cannot be kept ({}); each run measures it again", error.what()));
  }
}

/// `parse` reads what was remembered back; what it cannot read is measured again.
template <class Rates>
std::optional<Rates> load_or_measure(const std::string& site, const path& cache_folder,
                                     Rates (*parse)(const std::string&),
                                     const std::function<std::optional<Rates>()>& measure) {
  const path file = cache_folder / fmt::format("calibration-{}.json", to_string(hash128(site)));
  std::error_code none;
  if (std::filesystem::exists(file, none)) {
    try {
      if (const auto known = load(file, site)) return parse(*known);
    } catch (const std::exception& error) {
      log::warn(fmt::format("'{}' cannot be used ({}); calibrating again", file.string(), error.what()));
    }
  }
  auto measured = measure();
  if (measured) save(file, site, to_json(*measured));
  return measured;
}

/// The worker's output. Throws PeerLost.
std::string calibrated(const std::vector<std::string>& argv, const std::vector<int>& cpus, SpawnerClient& spawner,
                       const std::string& log_path) {
  bool timed_out = false;
  const auto exit = spawner.run({spawner.next_id(), argv, {}, cpus, log_path, 0}, timeout_seconds, timed_out);
  if (timed_out) throw PeerLost(fmt::format("no end after {} s", timeout_seconds));
  if (!WIFEXITED(exit.wait_status) || WEXITSTATUS(exit.wait_status) != 0)
    throw PeerLost(fmt::format("{}; {}", cause_of_death(exit, 0, 0).message, log_tail(log_path)));
  return std::string(exit.printed());
}

void warn_of(const char* what, const std::runtime_error& error) {
  log::warn(
      fmt::format("{} could not be calibrated ({}); results that are faster than the hardware will not be noticed",
                  what, error.what()));
}

}  // namespace

std::optional<results::Calibration> load_or_measure_calibration(
    const CalibrationSite& site, const path& cache_folder,
    const std::function<std::optional<results::Calibration>()>& measure) {
  return load_or_measure<results::Calibration>(site_text(site), cache_folder, parse_calibration, [&] {
    auto measured = measure();
    if (measured) measured->measured_wall_seconds = wall_seconds();
    return measured;
  });
}

std::optional<results::DeviceRates> load_or_measure_device_rates(
    const DeviceSite& site, const path& cache_folder,
    const std::function<std::optional<results::DeviceRates>()>& measure) {
  return load_or_measure<results::DeviceRates>(site_text(site), cache_folder, parse_device_rates, measure);
}

std::optional<results::Calibration> measure_calibration(const CalibrationSite& site, SpawnerClient& spawner,
                                                        const std::string& log_path) {
  try {
    return parse_calibration(
        calibrated({site.worker.string(), "calibrate", "--threads", std::to_string(site.cpus.size())}, site.cpus,
                   spawner, log_path));
  } catch (const std::runtime_error& error) {
    warn_of("this slot", error);
  }
  return std::nullopt;
}

std::optional<results::DeviceRates> measure_device_rates(const DeviceSite& site, SpawnerClient& spawner,
                                                         const std::string& log_path) {
  const sweep::SlotDevice& device = site.device;
  try {
    const auto rates = parse_device_rates(calibrated({site.worker.string(), "calibrate", "--device",
                                                      to_string(device.kind), "--index", std::to_string(device.index)},
                                                     site.cpus, spawner, log_path));
    if (rates.uuid != device.uuid) throw PeerLost(fmt::format("it is {}, not {}", rates.uuid, device.uuid));
    return rates;
  } catch (const std::runtime_error& error) {
    warn_of("this slot's device", error);
  }
  return std::nullopt;
}

results::Calibration parse_calibration(const std::string& text) {
  try {
    return checked(results::parse_calibration(text));
  } catch (const InputError& error) {
    throw PeerLost(std::string("a calibration cannot be read: ") + error.what());
  }
}

results::DeviceRates parse_device_rates(const std::string& text) {
  try {
    return checked(results::parse_device_rates(text));
  } catch (const InputError& error) {
    throw PeerLost(std::string("a calibration of a device cannot be read: ") + error.what());
  }
}

}  // namespace regatta::launcher
