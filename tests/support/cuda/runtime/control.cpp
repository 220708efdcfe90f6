// The table of functions for tests.
#include "support/cuda/control.hpp"

#include "support/cuda/runtime/machine.hpp"

namespace regatta::cuda_fakes {
namespace {

template <class Body>
auto locked(Body body) {
  const std::lock_guard lock(machine_lock());
  return body(machine());
}

void set_orders(Orders wanted) {
  locked([&](Machine& m) {
    m.settings.orders = wanted;
    m.random = wanted.seed * 0x9e3779b97f4a7c15ULL;
    m.mood = {};
  });
}

Counters counters() {
  return locked([](Machine& m) {
    Counters all = m.counters;
    for (const auto& device : m.devices) {
      all.live_allocations += static_cast<std::int64_t>(device->memory.live_count());
      all.live_bytes += static_cast<std::int64_t>(device->memory.live_bytes());
    }
    all.live_host_allocations = static_cast<std::int64_t>(m.pinned.size());
    all.live_streams = m.streams.count();
    all.live_events = m.events.count();
    all.live_graphs = m.graphs.count();
    all.live_executables = m.executables.count();
    all.live_handles = m.library_handles.count();
    all.live_pools = m.pools.count() - static_cast<std::int64_t>(m.devices.size());
    return all;
  });
}

GraphNodes graph_nodes() {
  return locked([](Machine& m) { return m.nodes; });
}

std::int32_t complaints() {
  return locked([](Machine& m) {
    for (const auto& device : m.devices) {
      if (const std::string damage = device->memory.damage(); !damage.empty()) complain(damage);
    }
    return static_cast<std::int32_t>(m.complaints.size());
  });
}

const char* complaint(std::int32_t index) {
  return locked([&](Machine& m) {
    const auto at = static_cast<std::size_t>(index);
    return at < m.complaints.size() ? m.complaints[at].c_str() : "";
  });
}

const char* refusal() {
  return locked([](Machine& m) { return m.refusal.c_str(); });
}

void fail_next(const char* function, std::int32_t status, std::int32_t after) {
  locked([&](Machine& m) { m.settings.faults.emplace(function, Order{status, after}); });
}

void hang_next(const char* name, std::int32_t after) {
  locked([&](Machine& m) { m.settings.hangs.emplace(name, after); });
}

void set_devices(std::int32_t count, std::int64_t memory_bytes) {
  locked([&](Machine& m) {
    m.settings.devices = count;
    m.settings.memory_bytes = memory_bytes;
    m.settings.is_restricted = false;
    make_devices(m);
  });
}

void set_multiprocessors(std::int32_t count) {
  locked([&](Machine& m) { m.settings.multiprocessors = count; });
}

void set_compute_capability(std::int32_t capability) {
  locked([&](Machine& m) { m.settings.compute_capability = capability; });
}

void set_driver(std::int32_t version) {
  locked([&](Machine& m) { m.settings.driver = version; });
}

void set_protection(Protection protection) {
  locked([&](Machine& m) {
    m.settings.protection = protection;
    m.openings = 0;
    protection == Protection::off ? open_memory(m) : close_memory(m);
  });
}

void reset() {
  const std::lock_guard lock(machine_lock());
  reset_machine();
}

constexpr Control kControl{reset,
                           set_orders,
                           orders,
                           counters,
                           graph_nodes,
                           complaints,
                           complaint,
                           refusal,
                           fail_next,
                           hang_next,
                           set_devices,
                           set_multiprocessors,
                           set_compute_capability,
                           set_driver,
                           set_protection};

}  // namespace
}  // namespace regatta::cuda_fakes

extern "C" const regatta::cuda_fakes::Control* regatta_cuda_emulator() { return &regatta::cuda_fakes::kControl; }
