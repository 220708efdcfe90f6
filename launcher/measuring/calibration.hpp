// The peak rates of the slot and its device: measured by `regatta-worker calibrate`, remembered for a day.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "children/spawner_client.hpp"
#include "regatta/results/calibration.hpp"
#include "regatta/results/machine_json.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/slot.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

inline constexpr double calibration_lifetime_seconds = 24 * 3600;

/// The subject of a calibration: these cores of this host, by this build of the worker.
struct CalibrationSite {
  results::Host host;
  std::vector<int> cpus;         ///< CPUs of the slot
  std::filesystem::path worker;  ///< regatta-worker
};

/// The site's calibration from `cache_folder` if it is younger than a day, else from `measure`, and then remembered.
/// A file that is damaged is measured again and replaced; where none can be written there is a warning, and the next
/// run measures again. Nothing if `measure` gives nothing.
std::optional<results::Calibration> load_or_measure_calibration(
    const CalibrationSite& site, const std::filesystem::path& cache_folder,
    const std::function<std::optional<results::Calibration>()>& measure);

/// Runs the worker on the site's cores, some 0.3 s. Nothing, with a warning, if that fails: runs go on without knowing
/// what is impossible.
std::optional<results::Calibration> measure_calibration(const CalibrationSite& site, SpawnerClient& spawner,
                                                        const std::string& log_path);

/// The subject of a device's calibration: its uuid says which device it is, wherever the process runs.
struct DeviceSite {
  sweep::SlotDevice device;
  std::vector<int> cpus;         ///< the slot's
  std::filesystem::path worker;  ///< regatta-worker
};

/// The same of the slot's device, which has rates of its own.
std::optional<results::DeviceRates> load_or_measure_device_rates(
    const DeviceSite& site, const std::filesystem::path& cache_folder,
    const std::function<std::optional<results::DeviceRates>()>& measure);

/// Runs the worker on the device, some seconds. Nothing, with a warning, if that fails, or another device answers.
std::optional<results::DeviceRates> measure_device_rates(const DeviceSite& site, SpawnerClient& spawner,
                                                         const std::string& log_path);

/// Reads results::to_json, or what `regatta-worker calibrate` prints, back. Throws PeerLost.
results::Calibration parse_calibration(const std::string& json);
results::DeviceRates parse_device_rates(const std::string& json);

}  // namespace regatta::launcher
