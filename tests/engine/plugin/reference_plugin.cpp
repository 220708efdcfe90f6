// A plugin for tests: the reference kernels on a device that does not share the host's memory.
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "engine/plugin/serve.hpp"
#include "engine/reference/kernels.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

class ReferenceRecording final : public Recording {
 public:
  explicit ReferenceRecording(std::span<const Call> all) : calls(all.begin(), all.end()) {}
  void set_operand(std::size_t index, int operand, void* memory) override {
    calls.at(index).operands.at(static_cast<std::size_t>(operand)) = memory;
  }
  std::vector<Call> calls;
};

/// The settings it was made for, where they are not the default: "reference, preallocate, overlapped".
std::string name_of(const PluginSettings& settings) {
  std::string name = "reference";
  if (settings.memory == DeviceMemory::preallocate) name += ", preallocate";
  if (settings.transfers == Transfers::pageable) name += ", pageable";
  if (settings.transfers == Transfers::overlapped) name += ", overlapped";
  if (!settings.deterministic) name += ", not deterministic";
  return name;
}

/// Memory of its own, which the host reads and writes in copies only. Work is counted: an event is how much was issued.
class ReferenceDevice final : public Backend {
 public:
  explicit ReferenceDevice(const PluginSettings& settings)
      : isa_(name_of(settings)), most_bytes_(settings.memory_bytes), is_emptied_(settings.empty_kernels) {}

  [[nodiscard]] const char* isa() const override { return isa_.c_str(); }
  [[nodiscard]] Precision precision() const override { return Precision::fp32; }

  void* allocate(std::int64_t bytes) override {
    constexpr std::int64_t kMost = std::int64_t{1} << 36;
    void* const memory =
        bytes > kMost ? nullptr : std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (memory == nullptr) throw std::bad_alloc();
    if (most_bytes_ > 0 && held_bytes_ + bytes > most_bytes_) {
      std::free(memory);
      throw std::bad_alloc();
    }
    held_bytes_ += bytes;
    allocated_[memory] = bytes;
    return memory;
  }
  void release(void* memory) noexcept override {
    const auto found = allocated_.find(memory);
    if (found == allocated_.end()) return;
    held_bytes_ -= found->second;
    allocated_.erase(found);
    std::free(memory);
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return held_bytes_; }

  void* import(int slot, const void* host, std::int64_t bytes) override {
    std::vector<char>& copy = imported_[slot];
    copy.resize(std::max(copy.size(), static_cast<std::size_t>(bytes)));
    std::memcpy(copy.data(), host, static_cast<std::size_t>(bytes));
    return copy.data();
  }
  void write(void* to, const void* host, std::int64_t bytes) override {
    if (host == nullptr) {
      std::memset(to, 0, static_cast<std::size_t>(bytes));
    } else {
      std::memcpy(to, host, static_cast<std::size_t>(bytes));
    }
  }
  const void* host_view(const void* memory, std::int64_t bytes) override {
    const char* const begin = static_cast<const char*>(memory);
    std::vector<char>& copy = viewed_[memory];
    copy.assign(begin, begin + bytes);
    return copy.data();
  }

  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec& /*spec*/) const override { return 0; }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const std::array<void*, kOperands>& memory) const override {
    return reference::bind(spec, memory);
  }

  void begin_calls() override { flush_.emplace(); }
  void end_calls() noexcept override { flush_.reset(); }
  void run(const Call& call) override {
    ++issued_;
    if (!is_emptied_) call.launch(call, 0, call.units);
  }
  [[nodiscard]] std::unique_ptr<Recording> record(std::span<const Call> calls) override {
    return std::make_unique<ReferenceRecording>(calls);
  }
  void replay(const Recording& recording) override {
    const FlushDenormals flush;
    for (const Call& call : static_cast<const ReferenceRecording&>(recording).calls) run(call);
  }

  Event event() override { return issued_; }
  void synchronize(Event event) override {
    if (event > issued_) throw std::runtime_error("event " + std::to_string(event) + " was never issued");
  }

 private:
  std::string isa_;
  std::int64_t most_bytes_;  ///< 0: no limit
  bool is_emptied_;
  std::int64_t held_bytes_ = 0;
  std::map<void*, std::int64_t> allocated_;
  std::map<int, std::vector<char>> imported_;
  std::map<const void*, std::vector<char>> viewed_;
  std::optional<FlushDenormals> flush_;
  Event issued_ = 0;
};

std::unique_ptr<Backend> make_device(const PluginSettings& settings) {
  if (settings.precision != Precision::fp32) {
    throw InputError("the reference kernels compute in fp32 only; take precision fp32");
  }
  return std::make_unique<ReferenceDevice>(settings);
}

std::vector<PluginDevice> list_devices() {
  PluginDevice device{};
  std::strcpy(device.name, "reference kernels");
  std::strcpy(device.uuid, "REFERENCE-0");
  device.memory_bytes = 8 << 20;
  return {device};
}

const char* versions() { return "reference kernels of this build"; }

}  // namespace
}  // namespace regatta::engine

extern "C" const regatta::engine::PluginTable* regatta_engine_plugin();
const regatta::engine::PluginTable* regatta_engine_plugin() {
  using namespace regatta::engine;
  return plugin::serve<make_device, list_devices, versions>();
}
