#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "doctor/doctor.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

using State = DoctorLine::State;
using std::filesystem::path;

/// The text behind "Model:" in the driver's page of a GPU.
std::string model_of(const path& information) {
  std::ifstream stream(information);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("Model:")) continue;
    const std::size_t first = line.find_first_not_of(" \t", line.find(':') + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return "a GPU";
}

/// Whether the PCI bus has a display or 3D controller of NVIDIA's, driver or not.
bool has_card(const path& sys) {
  return std::ranges::any_of(entries(sys / "bus/pci/devices"), [](const path& device) {
    return first_line(device / "vendor") == "0x10de" && first_line(device / "class").starts_with("0x03");
  });
}

bool uses_gpus(const EngineFound& engine) {
  return engine.problem.empty() && std::ranges::find(engine.devices, "cuda") != engine.devices.end();
}

bool has_gpu(const MachineFolders& folders) {
  return !entries(folders.proc / "driver/nvidia/gpus").empty() || has_card(folders.sys);
}

/// A message says what is wrong (why it matters), and behind the last semicolon what to do.
DoctorLine line_of(const std::string& what, const std::string& message) {
  const auto end = message.rfind("; ");
  if (end == std::string::npos) return {what, State::degraded, message, "nvidia-smi shows more"};
  return {what, State::degraded, message.substr(0, end), message.substr(end + 2)};
}

}  // namespace

DoctorLine slots_line(const std::vector<DeviceFound>& slots, std::size_t cores) {
  const std::size_t count = slots.size();
  const std::string detail =
      fmt::format("{} measuring slot{}, one for each memory domain", count, count == 1 ? "" : "s");
  if (cores > 1) return {"slots", State::ok, detail, ""};
  return {"slots", State::degraded, "one core for the worker and for what watches it (they disturb each other)",
          "give the job a second core"};
}

DoctorLine gpu_line(const MachineFolders& folders, const std::vector<EngineFound>& engines) {
  std::vector<std::string> models;
  for (const path& gpu : entries(folders.proc / "driver/nvidia/gpus")) models.push_back(model_of(gpu / "information"));
  if (models.empty() && has_card(folders.sys)) {
    return {"GPUs", State::missing, "an NVIDIA card, but no driver for it",
            "install NVIDIA's driver; in a container, start it with the GPUs passed in"};
  }
  if (models.empty()) return {"GPUs", State::missing, "none found", "needed only for trials with device = cuda"};
  const std::string detail = fmt::format("{}", fmt::join(models, ", "));
  if (std::ranges::any_of(engines, uses_gpus)) return {"GPUs", State::ok, detail, ""};
  return {"GPUs", State::degraded, detail + " (no engine that is found here uses it)",
          "trials run on the cores; install an engine that lists cuda above to use it"};
}

DoctorLine cuda_line(const MachineFolders& folders, const FoundDevices& found) {
  const std::string what = "native on cuda";
  if (found.problem.empty()) return {what, State::ok, found.versions, ""};
  if (found.versions.empty() && found.plugin.empty()) return line_of(what, found.problem);  // nothing answers
  DoctorLine line = line_of(what, found.problem);
  if (!found.versions.empty()) line.detail += fmt::format(" ({})", found.versions);
  if (has_gpu(folders)) return line;
  line.state = State::missing;  // there is nothing to repair
  return line;
}

DoctorLine device_line(const FoundDevice& device, const DeviceHealth& health) {
  const std::string what = fmt::format("GPU {}", device.device.index);
  if (!health.problem.empty()) {
    DoctorLine line = line_of(what, health.problem);
    line.detail = fmt::format("{} ({}): {}", device.device.name, device.device.uuid, line.detail);
    return line;
  }
  if (health.product_flops_per_second == 0)
    return {what, State::ok, fmt::format("{} ({}), not checked", device.device.name, device.device.uuid), ""};
  return {
      what, State::ok,
      fmt::format("{} ({}), {}, compute capability {}: copies to it {:.3g} GB/s, from it {:.3g} GB/s, products "
                  "{:.3g} TFLOP/s",
                  device.device.name, device.device.uuid, format_size(static_cast<std::uint64_t>(device.memory_bytes)),
                  device.compute_capability, health.write_bytes_per_second * 1e-9, health.read_bytes_per_second * 1e-9,
                  health.product_flops_per_second * 1e-12),
      ""};
}

}  // namespace regatta::launcher
