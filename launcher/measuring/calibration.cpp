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
std::string site_text(const CalibrationSite& site) {
  std::error_code none;
  const auto size = std::filesystem::file_size(site.worker, none);
  const auto date = std::filesystem::last_write_time(site.worker, none).time_since_epoch().count();
  return fmt::format("Regatta {}, worker of {} bytes from {}; {}, {}, {}; cores {}", regatta_version(), size, date,
                     site.host.name, site.host.cpu_model, site.host.kernel, fmt::join(site.cpus, ","));
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

std::optional<results::Calibration> load(const path& file, const std::string& site) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return std::nullopt;
  try {
    const json read = json::parse(read_file(file, largest_file_bytes));
    const results::Calibration found = parse_calibration(read.at("calibration").dump());
    const double age_seconds = wall_seconds() - found.measured_wall_seconds;
    const bool young = age_seconds >= 0 && age_seconds < calibration_lifetime_seconds;  // a clock may have been set
    if (young && read.at("site").get<std::string>() == site) return found;
  } catch (const std::exception& error) {
    log::warn(fmt::format("'{}' cannot be used ({}); calibrating again", file.string(), error.what()));
  }
  return std::nullopt;
}

void save(const path& file, const std::string& site, const results::Calibration& calibration) {
  try {
    if (!file.has_parent_path()) throw InputError("neither XDG_CACHE_HOME nor HOME names a folder");
    std::filesystem::create_directories(file.parent_path());
    write_file_atomically(file,
                          json{{"site", site}, {"calibration", json::parse(to_json(calibration))}}.dump(2) + "\n");
  } catch (const std::exception& error) {
    log::warn(
        fmt::format("the calibration of this slot cannot be kept ({}); each run measures it again", error.what()));
  }
}

}  // namespace

std::optional<results::Calibration> load_or_measure_calibration(
    const CalibrationSite& site, const path& cache_folder,
    const std::function<std::optional<results::Calibration>()>& measure) {
  const std::string text = site_text(site);
  const path file = cache_folder / fmt::format("calibration-{}.json", to_string(hash128(text)));
  if (auto known = load(file, text)) return known;
  auto measured = measure();
  if (!measured) return std::nullopt;
  measured->measured_wall_seconds = wall_seconds();
  save(file, text, *measured);
  return measured;
}

std::optional<results::Calibration> measure_calibration(const CalibrationSite& site, SpawnerClient& spawner,
                                                        const std::string& log_path) {
  const std::vector<std::string> argv = {site.worker.string(), "calibrate", "--threads",
                                         std::to_string(site.cpus.size())};
  try {
    bool timed_out = false;
    const auto exit = spawner.run({spawner.next_id(), argv, {}, site.cpus, log_path, 0}, timeout_seconds, timed_out);
    if (timed_out) throw PeerLost(fmt::format("no end after {} s", timeout_seconds));
    if (!WIFEXITED(exit.wait_status) || WEXITSTATUS(exit.wait_status) != 0)
      throw PeerLost(fmt::format("{}; {}", cause_of_death(exit, 0, 0).message, log_tail(log_path)));
    return parse_calibration(exit.output);
  } catch (const std::runtime_error& error) {
    log::warn(
        fmt::format("this slot could not be calibrated ({}); results that are faster than the hardware will not "
                    "be noticed",
                    error.what()));
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

}  // namespace regatta::launcher
