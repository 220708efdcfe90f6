#include "support/cuda/runtime/machine.hpp"

#include <cstdio>
#include <stdexcept>

#include "support/cuda/runtime/crash.hpp"

namespace regatta::cuda_fakes {
namespace {

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

std::recursive_mutex& machine_lock() {
  static std::recursive_mutex* const lock = new std::recursive_mutex;  // outlives every destructor that frees memory
  return *lock;
}

Machine& machine() {
  static Machine* const m = [] {
    auto* const made = new Machine;
    made->settings = settings_from_environment();
    make_devices(*made);
    explain_crashes();
    return made;
  }();
  return *m;
}

void make_devices(Machine& m) {
  for (const auto& stream : m.all_streams) stream->queue.clear();  // items of streams hold one another's
  m.devices.clear();
  m.streams.clear();
  m.events.clear();
  m.graphs.clear();
  m.executables.clear();
  m.pools.clear();
  m.library_handles.clear();
  m.all_streams.clear();
  m.mood = {};
  m.random = mix(m.settings.orders.seed + 0x9e3779b97f4a7c15ULL);
  const auto count =
      m.settings.is_restricted ? static_cast<std::int32_t>(m.settings.visible.size()) : m.settings.devices;
  for (std::int32_t i = 0; i < count; ++i) {
    auto device = std::make_unique<Device>(static_cast<std::size_t>(m.settings.memory_bytes));
    device->legacy->device = i;
    auto pool = std::make_shared<Pool>();
    pool->device = i;
    device->default_pool = device->current_pool = m.pools.add<cudaMemPool_t>(pool);
    m.all_streams.push_back(device->legacy);
    m.devices.push_back(std::move(device));
  }
}

void reset_machine() {
  Machine& m = machine();
  m.settings = settings_from_environment();
  make_devices(m);
  for (const auto& [memory, bytes] : m.pinned) {
    if (!m.is_registered.count(memory)) std::free(memory);
  }
  m.pinned.clear();
  m.is_registered.clear();
  m.counters = {};
  m.nodes = {};
  m.openings = 0;
  m.complaints.clear();
  m.refusal.clear();
  current_device() = 0;
}

std::array<unsigned char, 16> uuid_of(int physical) {
  std::array<unsigned char, 16> uuid{};
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    uuid[i] = static_cast<unsigned char>(mix(static_cast<std::uint64_t>(physical) * 16 + i + 1) & 0xff);
  }
  return uuid;
}

std::string uuid_text(int physical) {
  std::string text = "GPU-";
  const auto uuid = uuid_of(physical);
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(uuid[i]));
    text += digits.data();
  }
  return text;
}

int& current_device() {
  thread_local int device = 0;
  return device;
}

Device& device_of(int index) { return *machine().devices.at(static_cast<std::size_t>(index)); }

std::size_t random_below(Machine& m, std::size_t count) {
  m.random += 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(mix(m.random) % count);
}

std::int32_t take_fault(Machine& m, const std::string& name) {
  const auto found = m.settings.faults.find(name);
  if (found == m.settings.faults.end() || found->second.after-- > 0) return 0;
  const std::int32_t status = found->second.status;
  m.settings.faults.erase(found);
  return status;
}

bool take_hang(Machine& m, const std::string& name) {
  const auto found = m.settings.hangs.find(name);
  if (found == m.settings.hangs.end() || found->second-- > 0) return false;
  m.settings.hangs.erase(found);
  return true;
}

bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorCudartUnloading:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

void make_sticky(Device& device, cudaError_t error, const std::string& complaint) {
  if (device.sticky != cudaSuccess) return;
  device.sticky = error;
  device.complaint = complaint;
}

void open_memory(Machine& m) {
  for (const auto& device : m.devices) device->memory.open();
}

void close_memory(Machine& m) {
  constexpr std::int64_t kAlways = 32;
  constexpr std::int64_t kSampled = 16;
  if (m.settings.protection == Protection::off || m.devices.empty() || !m.devices[0]->memory.is_open()) return;
  ++m.openings;
  if (m.settings.protection == Protection::sampled && m.openings > kAlways && m.openings % kSampled != 0) return;
  for (const auto& device : m.devices) device->memory.close();
}

Orders orders() {
  const std::lock_guard lock(machine_lock());
  return machine().settings.orders;
}

}  // namespace regatta::cuda_fakes
