// NVIDIA's management library as tests want it: REGATTA_FAKE_NVML names a file with lines "NAME NUMBER", read at each
// call. A number that does not stand there is not supported; without the file there is no driver. A device's counters
// grow with the steady clock: by `watts`, and by `heat_percent` and `power_percent` of the time.
// REGATTA_FAKE_NVML_CALLS names a file that gets a line at each initialization and shutdown: the steady clock, in
// nanoseconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

namespace {

constexpr int done = 0;
constexpr int uninitialized = 1;
constexpr int not_supported = 3;
constexpr int too_small = 7;
constexpr int no_driver = 9;

using Device = void*;

struct Memory {
  unsigned long long total, free, used;
};
struct HeldDown {
  unsigned long long now_microseconds, nanoseconds;
};

const char* file() { return std::getenv("REGATTA_FAKE_NVML"); }

std::optional<unsigned long long> value_of(const std::string& name) {
  std::ifstream stream(file());
  std::string word;
  for (unsigned long long number = 0; stream >> word >> number;) {
    if (word == name) return number;
  }
  return std::nullopt;
}

template <class Number>
int tell(const char* name, Number* number) {
  const auto value = value_of(name);
  if (!value) return not_supported;
  *number = static_cast<Number>(*value);
  return done;
}

unsigned long long nanoseconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

void note_call() {
  const char* const calls = std::getenv("REGATTA_FAKE_NVML_CALLS");
  if (calls != nullptr) std::ofstream(calls, std::ios::app) << nanoseconds() << '\n';
}

bool initialized = false;

}  // namespace

extern "C" {
int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetHandleByUUID(const char* uuid, Device* device);
int nvmlDeviceGetCount_v2(unsigned* count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device);
int nvmlDeviceGetName(Device device, char* text, unsigned size);
int nvmlDeviceGetUUID(Device device, char* text, unsigned size);
int nvmlDeviceGetMemoryInfo(Device device, Memory* memory);
int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, void* processes);
int nvmlDeviceGetTotalEccErrors(Device device, int kind, int counter, unsigned long long* errors);
int nvmlDeviceGetTemperature(Device device, int sensor, unsigned* celsius);
int nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts);
int nvmlDeviceGetClockInfo(Device device, int kind, unsigned* megahertz);
int nvmlDeviceGetMaxClockInfo(Device device, int kind, unsigned* megahertz);
int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* reasons);
int nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules);
int nvmlDeviceGetViolationStatus(Device device, int policy, HeldDown* held);

int nvmlInit_v2() {
  note_call();
  initialized = file() != nullptr;
  return initialized ? done : no_driver;
}
int nvmlShutdown() {
  note_call();
  initialized = false;
  return done;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  if (!initialized) return uninitialized;
  *device = const_cast<char*>(uuid);
  return done;
}
int nvmlDeviceGetCount_v2(unsigned* count) { return tell("devices", count); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  static const char* const uuids[] = {"GPU-00000000-a", "GPU-11111111-b"};
  *device = const_cast<char*>(uuids[index]);
  return done;
}
int nvmlDeviceGetName(Device /*device*/, char* text, unsigned size) {
  std::snprintf(text, size, "a GPU of NVML");
  return done;
}
int nvmlDeviceGetUUID(Device device, char* text, unsigned size) {
  std::snprintf(text, size, "%s", static_cast<const char*>(device));
  return done;
}
int nvmlDeviceGetMemoryInfo(Device /*device*/, Memory* memory) {
  memory->used = value_of("used_bytes").value_or(0);
  return tell("free_bytes", &memory->free);
}
int nvmlDeviceGetComputeRunningProcesses_v3(Device /*device*/, unsigned* count, void* processes) {
  const int status = tell("processes", count);
  return status == done && processes == nullptr && *count > 0 ? too_small : status;
}
int nvmlDeviceGetTotalEccErrors(Device /*device*/, int kind, int counter, unsigned long long* errors) {
  return kind == 1 && counter == 0 ? tell("uncorrected_errors", errors) : not_supported;
}
int nvmlDeviceGetTemperature(Device /*device*/, int sensor, unsigned* celsius) {
  return sensor == 0 ? tell("temperature_celsius", celsius) : not_supported;
}
int nvmlDeviceGetPowerUsage(Device /*device*/, unsigned* milliwatts) { return tell("power_milliwatts", milliwatts); }
int nvmlDeviceGetClockInfo(Device /*device*/, int kind, unsigned* megahertz) {
  if (kind == 2) return tell("memory_clock_megahertz", megahertz);
  return kind == 1 ? tell("clock_megahertz", megahertz) : not_supported;
}
int nvmlDeviceGetMaxClockInfo(Device /*device*/, int kind, unsigned* megahertz) {
  return kind == 1 ? tell("most_clock_megahertz", megahertz) : not_supported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device /*device*/, unsigned long long* reasons) {
  return tell("throttle_reasons", reasons);
}
int nvmlDeviceGetTotalEnergyConsumption(Device /*device*/, unsigned long long* millijoules) {
  const int status = tell("watts", millijoules);
  *millijoules *= nanoseconds() / 1'000'000;
  return status;
}
int nvmlDeviceGetViolationStatus(Device /*device*/, int policy, HeldDown* held) {
  if (policy != 0 && policy != 1) return not_supported;
  held->now_microseconds = nanoseconds() / 1000;
  const int status = tell(policy == 1 ? "heat_percent" : "power_percent", &held->nanoseconds);
  held->nanoseconds *= nanoseconds() / 100;
  return status;
}
}
