#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/kernels/empty.hpp"
#include "engine/cuda/nccl/rank_group.hpp"
#include "engine/cuda/recording.hpp"
#include "engine/cuda/tiled/convolution.hpp"
#include "engine/cuda/transfers.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr int kLeastCapability = 80;            // kernels are compiled for it, and it has tf32 and bf16
constexpr int kStartsEarly = 90;                // from this compute capability on kernels can wait for the one before
constexpr std::int64_t kConvolutionShare = 16;  // an engine of cuDNN whose workspace takes more of it is not taken
constexpr std::int64_t kWorkspaceShare = 256;   // at most one in so many bytes of the device: 8 GiB have the whole
constexpr std::size_t kEvents = 4;              // in turn: who waits for an old one waits for a later one
constexpr std::chrono::microseconds kDrainPause(100);

PluginDevice device_of(const PluginSettings& settings) {
  const std::vector<PluginDevice> devices = list_devices();
  if (settings.device < 0 || settings.device >= std::ssize(devices)) {
    throw InputError("GPU " + std::to_string(settings.device) + " is not there (this process sees " +
                     std::to_string(devices.size()) + "); look at CUDA_VISIBLE_DEVICES");
  }
  const PluginDevice& device = devices[static_cast<std::size_t>(settings.device)];
  if (device.compute_capability < kLeastCapability) {
    throw InputError(std::string("the GPU ") + device.name + " has compute capability " +
                     std::to_string(device.compute_capability / 10) + '.' +
                     std::to_string(device.compute_capability % 10) +
                     " (the plugin has kernels for 8.0 and higher); take another GPU, or device cpu");
  }
  require(cudaSetDevice(settings.device), "cudaSetDevice");
  return device;
}

/// Everything on the device. Members are destroyed from the last one to the first.
struct Parts {
  Parts(const PluginSettings& settings, const PluginDevice& device)
      : stream(make_stream()),
        memory(settings.memory, settings.memory_bytes, settings.device, stream.get()),
        target(make_target(device)),
        imports(settings.transfers, memory, stream.get()),
        views(stream.get()),
        writes(stream.get()),
        products(product_settings(settings, device), target, source()),
        convolutions(convolution_settings(settings, device), target, source()),
        issuer(target, {products, convolutions, settings.precision}) {
    for (EventHandle& event : events) event = make_event();
  }

  Target make_target(const PluginDevice& device) {
    Target made;
    made.stream = stream.get();
    made.workspace_bytes = std::min(kWorkspaceBytes, device.memory_bytes / kWorkspaceShare);
    made.workspace = memory.allocate(made.workspace_bytes);
    constexpr std::size_t kBytes = kCounters * sizeof(unsigned);
    made.counters = static_cast<unsigned*>(memory.allocate(kBytes));
    require(cudaMemsetAsync(made.counters, 0, kBytes, made.stream), "cudaMemsetAsync");
    made.multiprocessors = device.multiprocessors;
    made.starts_early = device.compute_capability >= kStartsEarly;
    return made;
  }

  DeviceMemorySource source() {
    return {[this](std::int64_t bytes) { return memory.allocate(bytes); },
            [this](void* piece) { memory.release(piece); }};
  }

  static std::string choices_file(const PluginSettings& settings) {
    return settings.choices_file == nullptr ? std::string() : settings.choices_file;
  }
  static std::string kind_of(const PluginDevice& device) {
    return std::string(device.name) + " (" + std::to_string(device.compute_capability) + ')';
  }
  static ProductSettings product_settings(const PluginSettings& settings, const PluginDevice& device) {
    return {settings.deterministic, settings.choosing_seconds / 2, choices_file(settings), kind_of(device)};
  }
  static ConvolutionSettings convolution_settings(const PluginSettings& settings, const PluginDevice& device) {
    ConvolutionSettings made;
    made.precision = settings.precision;
    made.deterministic = settings.deterministic;
    made.choosing_seconds = settings.choosing_seconds / 2;
    made.choices_file = choices_file(settings);
    if (!made.choices_file.empty()) made.choices_file += ".cudnn";
    made.device = kind_of(device);
    if (settings.precision == Precision::fp32) made.rival = tiled_convolutions();
    const std::int64_t most = settings.memory_bytes > 0 ? settings.memory_bytes : device.memory_bytes;
    made.workspace_bytes = std::min(made.workspace_bytes, most / kConvolutionShare);
    return made;
  }

  static ConvolutionRival tiled_convolutions() {
    return {.ways = tiled_ways,
            .scratch_bytes = tiled_scratch_bytes,
            .issue = [](const Target& on, ConvolutionKind kind, const ConvolutionShape& shape, int way,
                        const Memory& operands) {
              issue_tiled(on, {kind, shape, way}, operands);
            }};
  }

  Stream stream;
  MemoryPieces memory;
  Target target;
  Imports imports;
  Views views;
  Writes writes;
  Products products;
  Convolutions convolutions;
  Issuer issuer;
  std::array<EventHandle, kEvents> events;
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(const PluginSettings& settings, const PluginDevice& device)
      : device_(settings.device),
        precision_(settings.precision),
        empties_kernels_(settings.empty_kernels),
        drain_seconds_(settings.drain_seconds),
        isa_("sm_" + std::to_string(device.compute_capability)),
        parts_(std::make_unique<Parts>(settings, device)) {}

  /// Leaves the resources of a hung device to the end of the process: giving them back would wait for ever.
  ~CudaBackend() override {
    if ((group_ != nullptr && group_->is_lost()) || is_hung()) static_cast<void>(parts_.release());
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  [[nodiscard]] const char* isa() const override { return isa_.c_str(); }
  [[nodiscard]] Precision precision() const override { return precision_; }

  void* allocate(std::int64_t bytes) override {
    return on_device([&] { return parts_->memory.allocate(bytes); });
  }
  void release(void* memory) noexcept override {
    if (lost_.empty()) parts_->memory.release(memory);
  }
  void* import(int slot, const void* host, std::int64_t bytes) override {
    return on_device([&] {
      await_steps(1);
      return parts_->imports.import(slot, host, bytes);
    });
  }
  void write(void* to, const void* host, std::int64_t bytes) override {
    on_device([&] {
      await_steps(0);
      parts_->writes.write(to, host, bytes);
    });
  }
  const void* host_view(const void* memory, std::int64_t bytes) override {
    return on_device([&] {
      await_steps(0);
      return parts_->views.view(memory, bytes);
    });
  }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return on_device([&] { return parts_->memory.held_bytes(); });
  }

  [[nodiscard]] PlanHints plan_hints() const override { return {.rounds_images = true}; }
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec& spec) const override {
    return on_device([&] { return parts_->issuer.scratch_bytes(spec); });
  }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const Memory& memory) const override {
    return parts_->issuer.bind(spec, memory);
  }

  void run(const Call& call) override {
    const Range range(Issuer::name_of(call));
    on_device([&] {
      if (empties_kernels_) {
        issue_emptied(call);
      } else {
        parts_->issuer.issue(call);
      }
    });
  }
  [[nodiscard]] std::unique_ptr<Recording> record(std::span<const Call> calls) override {
    return std::make_unique<GraphRecording>(calls, empties_kernels_);
  }
  void replay(const Recording& recording) override {
    graph_seconds_ += on_device([&] { return static_cast<const GraphRecording&>(recording).launch(parts_->issuer); });
  }
  [[nodiscard]] double graph_seconds() const override { return graph_seconds_; }

  void begin_range(const char* name) override { cuda::begin_range(name); }
  void end_range() noexcept override { cuda::end_range(); }

  Event event() override {
    return on_device([&] {
      ++issued_;
      require(cudaEventRecord(parts_->events[issued_ % kEvents].get(), parts_->stream.get()), "cudaEventRecord");
      return issued_;
    });
  }
  void synchronize(Event event) override {
    expect(event <= issued_, "only an event that was issued is waited for");
    if (event == 0) return;
    on_device([&] {
      await_steps(0);
      wait_for(parts_->events[event % kEvents].get());
    });
  }

  void join(DeviceGroup& group) override { group_ = &static_cast<RankGroup&>(group); }
  void sum_over_ranks(float* memory, std::int64_t count) override {
    expect(group_ != nullptr, "only ranks that joined sum");
    const Range range("sum_over_ranks");
    on_device([&] { group_->sum(parts_->stream.get(), memory, count); });
  }
  void await_sums() override {
    expect(group_ != nullptr, "only ranks that joined sum");
    on_device([&] { group_->end_step(parts_->stream.get()); });
  }
  [[nodiscard]] double exposed_exchange_seconds() override {
    return on_device([&] {
      await_steps(0);
      return group_ == nullptr ? 0.0 : group_->exposed_seconds();
    });
  }

 private:
  /// Only then may the host wait for the device where nothing has a deadline: what is left is this rank's own work.
  void await_steps(std::size_t steps) {
    if (group_ != nullptr) group_->await(steps);
  }

  /// Runs `work` with this device current on this thread. A lost device's error is thrown at once from then on.
  template <class Work>
  std::invoke_result_t<Work> on_device(const Work& work) const {
    if (!lost_.empty()) throw LostDevice(lost_);
    try {
      if (thread_ != std::this_thread::get_id()) {
        require(cudaSetDevice(device_), "cudaSetDevice");
        thread_ = std::this_thread::get_id();
      }
      return work();
    } catch (const LostDevice& error) {
      lost_ = error.what();
      throw;
    }
  }

  /// As many kernels as the call would issue, which compute nothing.
  void issue_emptied(const Call& call) {
    const auto known = launches_.find(call.spec);
    const std::size_t count =
        known != launches_.end() ? known->second : launches_.emplace(call.spec, launches_of(call)).first->second;
    for (std::size_t i = 0; i < count; ++i) issue_empty(parts_->target);
  }
  [[nodiscard]] std::size_t launches_of(const Call& call) const {
    return node_count(capture(parts_->stream.get(), [&] { parts_->issuer.issue(call); }).get());
  }

  /// Whether work is still under way when the time for it is over.
  [[nodiscard]] bool is_hung() const {
    const Deadline deadline = Deadline::after(drain_seconds_);
    while (cudaStreamQuery(parts_->stream.get()) == cudaErrorNotReady) {
      if (deadline.passed()) return true;
      std::this_thread::sleep_for(kDrainPause);
    }
    return false;
  }

  int device_;
  Precision precision_;
  bool empties_kernels_;
  double drain_seconds_;
  std::string isa_;
  std::unique_ptr<Parts> parts_;
  RankGroup* group_ = nullptr;                             ///< the group that it sums with
  std::unordered_map<const void*, std::size_t> launches_;  ///< by operation, with emptied kernels
  Event issued_ = 0;
  double graph_seconds_ = 0;
  mutable std::string lost_;  ///< why the device cannot be used any more
  mutable std::thread::id thread_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(const PluginSettings& settings) {
  const PluginDevice device = device_of(settings);
  return std::make_unique<CudaBackend>(settings, device);
}

}  // namespace regatta::engine::cuda
