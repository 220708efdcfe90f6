#include "engine/plugin/serve.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <type_traits>

#include "regatta/base/error.hpp"

namespace regatta::engine::plugin {

namespace {

static_assert(std::is_trivially_copyable_v<OpSpec> && std::is_trivially_copyable_v<BoundCalls>,
              "operations and calls cross the boundary as plain memory");

using Text = std::array<char, 1024>;

/// The text of the last failure on this thread. An array: nothing is to be destroyed when a thread ends.
Text& last_text() {
  thread_local Text text{};
  return text;
}

PluginStatus ended(PluginStatus status, const char* what) {
  std::snprintf(last_text().data(), last_text().size(), "%s", what);
  return status;
}

/// Runs `work`; what it throws ends here.
template <class Work>
PluginStatus guarded(const Work& work) noexcept {
  try {
    work();
    return PluginStatus::done;
  } catch (const std::bad_alloc& error) {
    return ended(PluginStatus::no_memory, error.what());
  } catch (const InputError& error) {
    return ended(PluginStatus::refused, error.what());
  } catch (const std::exception& error) {
    return ended(PluginStatus::failed, error.what());
  } catch (...) {
    return ended(PluginStatus::failed, "the plugin threw what is no std::exception");
  }
}

Backend& backend_of(PluginBackend* backend) { return *reinterpret_cast<Backend*>(backend); }
Recording* recording_of(PluginRecording* recording) { return reinterpret_cast<Recording*>(recording); }

void add_memory(PluginTable& table) {
  table.allocate = [](PluginBackend* backend, std::int64_t bytes, void** memory) {
    return guarded([&] { *memory = backend_of(backend).allocate(bytes); });
  };
  table.release = [](PluginBackend* backend, void* memory) { backend_of(backend).release(memory); };
  table.import = [](PluginBackend* backend, std::int32_t slot, const void* host, std::int64_t bytes, void** memory) {
    return guarded([&] { *memory = backend_of(backend).import(slot, host, bytes); });
  };
  table.write = [](PluginBackend* backend, void* to, const void* host, std::int64_t bytes) {
    return guarded([&] { backend_of(backend).write(to, host, bytes); });
  };
  table.host_view = [](PluginBackend* backend, const void* memory, std::int64_t bytes, const void** host) {
    return guarded([&] { *host = backend_of(backend).host_view(memory, bytes); });
  };
  table.held_bytes = [](PluginBackend* backend, std::int64_t* bytes) {
    return guarded([&] { *bytes = backend_of(backend).held_bytes(); });
  };
}

void add_planning(PluginTable& table) {
  table.isa = [](PluginBackend* backend) { return backend_of(backend).isa(); };
  table.scratch_bytes = [](PluginBackend* backend, const OpSpec* spec, std::int64_t* bytes) {
    return guarded([&] { *bytes = backend_of(backend).scratch_bytes(*spec); });
  };
  table.plan_hints = [](PluginBackend* backend, PluginHints* hints) {
    return guarded([&] {
      const PlanHints all = backend_of(backend).plan_hints();
      *hints = {all.sum_block, all.outer_b_rows, all.large_update_bytes, all.rounds_images};
    });
  };
  table.bind = [](PluginBackend* backend, const OpSpec* spec, void* const* memory, BoundCalls* bound) {
    return guarded([&] {
      std::array<void*, kOperands> operands{};
      std::copy_n(memory, kOperands, operands.begin());
      *bound = backend_of(backend).bind(*spec, operands);
    });
  };
}

void add_work(PluginTable& table) {
  table.begin_calls = [](PluginBackend* backend) { return guarded([&] { backend_of(backend).begin_calls(); }); };
  table.end_calls = [](PluginBackend* backend) { backend_of(backend).end_calls(); };
  table.run = [](PluginBackend* backend, const Call* call) { return guarded([&] { backend_of(backend).run(*call); }); };
  table.record = [](PluginBackend* backend, const Call* calls, std::int64_t count, PluginRecording** recording) {
    return guarded([&] {
      const std::span<const Call> all(calls, static_cast<std::size_t>(count));
      *recording = reinterpret_cast<PluginRecording*>(backend_of(backend).record(all).release());
    });
  };
  table.set_operand = [](PluginRecording* recording, std::int64_t index, std::int32_t operand, void* memory) {
    return guarded([&] { recording_of(recording)->set_operand(static_cast<std::size_t>(index), operand, memory); });
  };
  table.drop = [](PluginRecording* recording) { delete recording_of(recording); };
  table.replay = [](PluginBackend* backend, const PluginRecording* recording) {
    return guarded([&] { backend_of(backend).replay(*reinterpret_cast<const Recording*>(recording)); });
  };
  table.graph_seconds = [](PluginBackend* backend, double* seconds) {
    return guarded([&] { *seconds = backend_of(backend).graph_seconds(); });
  };
  table.begin_range = [](PluginBackend* backend, const char* name) { backend_of(backend).begin_range(name); };
  table.end_range = [](PluginBackend* backend) { backend_of(backend).end_range(); };
  table.event = [](PluginBackend* backend, Event* event) {
    return guarded([&] { *event = backend_of(backend).event(); });
  };
  table.synchronize = [](PluginBackend* backend, Event event) {
    return guarded([&] { backend_of(backend).synchronize(event); });
  };
}

void add_groups(PluginTable& table) {
  table.leave_group = [](PluginGroup* group) { delete reinterpret_cast<DeviceGroup*>(group); };
  table.join = [](PluginBackend* backend, PluginGroup* group) {
    return guarded([&] { backend_of(backend).join(*reinterpret_cast<DeviceGroup*>(group)); });
  };
  table.sum_over_ranks = [](PluginBackend* backend, float* memory, std::int64_t count) {
    return guarded([&] { backend_of(backend).sum_over_ranks(memory, count); });
  };
  table.await_sums = [](PluginBackend* backend) { return guarded([&] { backend_of(backend).await_sums(); }); };
  table.exposed_exchange_seconds = [](PluginBackend* backend, double* seconds) {
    return guarded([&] { *seconds = backend_of(backend).exposed_exchange_seconds(); });
  };
}

}  // namespace

PluginTable functions() {
  PluginTable table{};
  table.build_id = plugin_build_id();
  table.destroy = [](PluginBackend* backend) { delete reinterpret_cast<Backend*>(backend); };
  table.error = []() -> const char* { return last_text().data(); };
  add_memory(table);
  add_planning(table);
  add_work(table);
  add_groups(table);
  return table;
}

std::string no_group_id(bool /*is_made*/) {
  throw InputError("ranks on this device sum no gradients (its plugin cannot); take ranks 1");
}

std::unique_ptr<DeviceGroup> join_no_group(const GroupPlace& /*place*/) {
  no_group_id(false);
  return nullptr;
}

PluginStatus write_id_with(const Groups& groups, char* text, std::int32_t capacity) {
  return guarded([&] {
    const std::string id = groups.new_id(capacity > 0);
    if (capacity == 0) return;
    expect(std::ssize(id) < capacity, "the id of a group fits into a kilobyte");
    *std::copy(id.begin(), id.end(), text) = '\0';
  });
}

PluginStatus join_with(const Groups& groups, const PluginPlace* place, PluginGroup** joined) {
  return guarded([&] {
    const GroupPlace own{place->id, place->device, place->rank, place->ranks, place->patience_seconds, place->stop};
    *joined = reinterpret_cast<PluginGroup*>(groups.join(own).release());
  });
}

PluginStatus list_with(ListDevices list, PluginDevice* devices, std::int32_t capacity, std::int32_t* count) {
  return guarded([&] {
    const std::vector<PluginDevice> all = list();
    std::copy_n(all.begin(), std::min(std::ssize(all), static_cast<std::ptrdiff_t>(capacity)), devices);
    *count = static_cast<std::int32_t>(all.size());
  });
}

PluginStatus make_with(MakeBackend make, const PluginSettings* settings, PluginBackend** made) {
  return guarded([&] { *made = reinterpret_cast<PluginBackend*>(make(*settings).release()); });
}

}  // namespace regatta::engine::plugin
