#include "regatta/engine/open_plugin.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

/// Why the last call of the dl family failed.
std::string dl_error() {
  const char* const text = dlerror();
  return text != nullptr ? text : "no reason given";
}

/// The table of the plugin in that file, whose build id is that of this program.
const PluginTable& table_in(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    throw DeviceError(
        "the plugin " + path + " cannot be opened: " + dl_error() +
        " (its device computes nothing without it); put it there with what it needs, or take another device");
  }
  const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, kPluginEntry));
  const PluginTable* const table = entry != nullptr ? entry() : nullptr;
  const std::string build_id = table != nullptr && table->build_id != nullptr ? table->build_id : "";
  dlclose(library);  // it stays loaded
  if (table == nullptr) {
    throw DeviceError("the library " + path + " has no function " + kPluginEntry +
                      " (so it is no plugin of the engine); put the plugin of this version there");
  }
  if (build_id == plugin_build_id()) return *table;
  throw DeviceError("the plugin " + path + " is of the build '" + build_id + "' (this program is of '" +
                    plugin_build_id() +
                    "', and the two may disagree on what crosses between them); build both from the "
                    "same sources");
}

/// Throws what a status other than `done` stands for.
void require(const PluginTable& table, PluginStatus status) {
  if (status == PluginStatus::done) return;
  if (status == PluginStatus::no_memory) throw DeviceMemoryError();
  if (status == PluginStatus::refused) throw InputError(table.error());
  throw DeviceError(table.error());
}

class OpenedRecording final : public Recording {
 public:
  OpenedRecording(const PluginTable& table, PluginRecording* recording) : table_(table), recording_(recording) {}
  ~OpenedRecording() override { table_.drop(recording_); }
  OpenedRecording(const OpenedRecording&) = delete;
  OpenedRecording& operator=(const OpenedRecording&) = delete;

  void set_operand(std::size_t index, int operand, void* memory) override {
    require(table_, table_.set_operand(recording_, static_cast<std::int64_t>(index), operand, memory));
  }
  [[nodiscard]] const PluginRecording* get() const { return recording_; }

 private:
  const PluginTable& table_;
  PluginRecording* recording_;
};

class OpenedGroup final : public DeviceGroup {
 public:
  OpenedGroup(const PluginTable& table, const GroupPlace& place) : table_(table) {
    const PluginPlace plain{place.id.c_str(), place.stop.c_str(), place.device,
                            place.rank,       place.ranks,        place.patience_seconds};
    require(table_, table_.join_group(&plain, &group_));
  }
  ~OpenedGroup() override { table_.leave_group(group_); }
  OpenedGroup(const OpenedGroup&) = delete;
  OpenedGroup& operator=(const OpenedGroup&) = delete;
  [[nodiscard]] PluginGroup* get() const { return group_; }

 private:
  const PluginTable& table_;
  PluginGroup* group_ = nullptr;
};

class OpenedBackend final : public Backend {
 public:
  OpenedBackend(const PluginTable& table, const PluginSettings& settings)
      : table_(table), precision_(settings.precision) {
    require(table_, table_.make(&settings, &backend_));
  }
  ~OpenedBackend() override { table_.destroy(backend_); }
  OpenedBackend(const OpenedBackend&) = delete;
  OpenedBackend& operator=(const OpenedBackend&) = delete;

  [[nodiscard]] const char* isa() const override { return table_.isa(backend_); }
  [[nodiscard]] Precision precision() const override { return precision_; }

  void* allocate(std::int64_t bytes) override {
    void* memory = nullptr;
    require(table_, table_.allocate(backend_, bytes, &memory));
    return memory;
  }
  void release(void* memory) noexcept override { table_.release(backend_, memory); }

  void* import(int slot, const void* host, std::int64_t bytes) override {
    void* memory = nullptr;
    require(table_, table_.import(backend_, slot, host, bytes, &memory));
    return memory;
  }
  void write(void* to, const void* host, std::int64_t bytes) override {
    require(table_, table_.write(backend_, to, host, bytes));
  }
  const void* host_view(const void* memory, std::int64_t bytes) override {
    const void* host = nullptr;
    require(table_, table_.host_view(backend_, memory, bytes, &host));
    return host;
  }

  [[nodiscard]] std::int64_t held_bytes() const override {
    std::int64_t bytes = 0;
    require(table_, table_.held_bytes(backend_, &bytes));
    return bytes;
  }
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec& spec) const override {
    std::int64_t bytes = 0;
    require(table_, table_.scratch_bytes(backend_, &spec, &bytes));
    return bytes;
  }
  [[nodiscard]] PlanHints plan_hints() const override {
    PluginHints hints;
    require(table_, table_.plan_hints(backend_, &hints));
    return {.sum_block = hints.sum_block,
            .outer_b_rows = hints.outer_b_rows,
            .large_update_bytes = hints.large_update_bytes,
            .rounds_images = hints.rounds_images};
  }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const std::array<void*, kOperands>& memory) const override {
    BoundCalls bound;
    require(table_, table_.bind(backend_, &spec, memory.data(), &bound));
    return bound;
  }

  void begin_calls() override { require(table_, table_.begin_calls(backend_)); }
  void end_calls() noexcept override { table_.end_calls(backend_); }
  void run(const Call& call) override { require(table_, table_.run(backend_, &call)); }

  [[nodiscard]] std::unique_ptr<Recording> record(std::span<const Call> calls) override {
    PluginRecording* recording = nullptr;
    require(table_, table_.record(backend_, calls.data(), std::ssize(calls), &recording));
    return std::make_unique<OpenedRecording>(table_, recording);
  }
  void replay(const Recording& recording) override {
    require(table_, table_.replay(backend_, static_cast<const OpenedRecording&>(recording).get()));
  }

  [[nodiscard]] double graph_seconds() const override {
    double seconds = 0;
    require(table_, table_.graph_seconds(backend_, &seconds));
    return seconds;
  }

  void begin_range(const char* name) override { table_.begin_range(backend_, name); }
  void end_range() noexcept override { table_.end_range(backend_); }

  Event event() override {
    Event event = 0;
    require(table_, table_.event(backend_, &event));
    return event;
  }
  void synchronize(Event event) override { require(table_, table_.synchronize(backend_, event)); }

  void join(DeviceGroup& group) override {
    require(table_, table_.join(backend_, static_cast<OpenedGroup&>(group).get()));
  }
  void sum_over_ranks(float* memory, std::int64_t count) override {
    require(table_, table_.sum_over_ranks(backend_, memory, count));
  }
  void await_sums() override { require(table_, table_.await_sums(backend_)); }
  [[nodiscard]] double exposed_exchange_seconds() override {
    double seconds = 0;
    require(table_, table_.exposed_exchange_seconds(backend_, &seconds));
    return seconds;
  }

 private:
  const PluginTable& table_;
  Precision precision_;
  PluginBackend* backend_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> open_plugin(const std::string& path, const PluginSettings& settings) {
  return std::make_unique<OpenedBackend>(table_in(path), settings);
}

std::string new_group_id(const std::string& path) {
  std::array<char, 1024> text{};
  const PluginTable& table = table_in(path);
  require(table, table.group_id(text.data(), static_cast<std::int32_t>(text.size())));
  return text.data();
}

void require_groups(const std::string& path) {
  const PluginTable& table = table_in(path);
  require(table, table.group_id(nullptr, 0));
}

std::unique_ptr<DeviceGroup> join_group(const std::string& path, const GroupPlace& place) {
  return std::make_unique<OpenedGroup>(table_in(path), place);
}

std::string plugin_versions(const std::string& path) { return table_in(path).versions(); }

PluginReport ask_plugin(const std::string& path) {
  const PluginTable& table = table_in(path);
  PluginReport report;
  std::int32_t count = 0;
  require(table, table.devices(nullptr, 0, &count));
  report.devices.resize(static_cast<std::size_t>(count));
  require(table, table.devices(report.devices.data(), count, &count));
  report.devices.resize(std::min(report.devices.size(), static_cast<std::size_t>(count)));
  report.versions = table.versions();
  return report;
}

}  // namespace regatta::engine
