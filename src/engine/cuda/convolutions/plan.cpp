#include "engine/cuda/convolutions/plan.hpp"

#include <algorithm>

#include "engine/cuda/device/check.hpp"
#include "engine/cuda/kernels/parts.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kScratchAlignment = 256;
constexpr std::size_t kMostPacks = 16;
constexpr std::size_t kResult = 2;

/// Whether cuDNN's order differs from the operand's: a kernel's filters stand first, unless there is nothing to move.
bool is_reordered(const ConvolutionShape& s, std::int64_t id, bool is_widened) {
  if (id == kKernelId) return s.filters > 1 && s.taps_rows * s.taps_columns * s.channels > 1;
  return id == kInputId && is_widened;
}

ScratchPlaces lay_out(const ConvolutionPlan& plan) {
  ScratchPlaces places;
  const auto take = [&](std::int64_t bytes) {
    const std::int64_t begin = places.bytes;
    places.bytes += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
    return begin;
  };
  const auto ids = tensor_ids(plan.kind);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t count = elements(plan.computed, ids[i]);
    if (is_reordered(plan.computed, ids[i], plan.choice.widened)) places.reordered[i] = take(floats(count));
    const bool is_rounded = plan.precision == Precision::bf16 && i != kResult;
    if (is_rounded) places.rounded[i] = take(count * static_cast<std::int64_t>(sizeof(std::uint16_t)));
  }
  if (plan.workspace_bytes > 0) places.workspace = take(plan.workspace_bytes);
  if (places.bytes > 0) places.bytes += kScratchAlignment;  // operands are aligned to less
  return places;
}

/// Each pixel once, with zeros around the image.
Unfolding widening(const ConvolutionShape& shape, const ConvolutionShape& wide) {
  return {.samples = shape.batch,
          .rows = shape.rows,
          .columns = shape.columns,
          .channels = shape.channels,
          .out_rows = wide.rows,
          .out_columns = wide.columns,
          .taps_rows = 1,
          .taps_columns = 1,
          .stride_rows = 1,
          .stride_columns = 1,
          .pad_rows = shape.pad_rows,
          .pad_columns = shape.pad_columns};
}

/// The scratch memory of one run.
class Scratch {
 public:
  Scratch(const ScratchPlaces& places, void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    constexpr auto kAlign = static_cast<std::uintptr_t>(kScratchAlignment);
    base_ = places.bytes == 0 ? nullptr : reinterpret_cast<char*>((address + kAlign - 1) / kAlign * kAlign);
  }

  template <class T>
  [[nodiscard]] T* at(std::int64_t place) const {
    return place < 0 ? nullptr : reinterpret_cast<T*>(base_ + place);
  }

 private:
  char* base_;
};

/// Operand 0 or 1 as cuDNN reads it.
void* prepare(const Target& target, const ConvolutionPlan& plan, const Scratch& scratch, std::size_t operand,
              void* memory) {
  const std::int64_t id = tensor_ids(plan.kind)[operand];
  const ConvolutionShape& s = plan.shape;
  if (auto* const reordered = scratch.at<float>(plan.places.reordered[operand])) {
    const auto* const from = static_cast<const float*>(memory);
    if (id == kKernelId) {
      filters_first(target, from, reordered, s.taps_rows * s.taps_columns, s.channels, s.filters);
    } else {
      unfold(target, widening(s, plan.computed), from, reordered);
    }
    memory = reordered;
  }
  auto* const rounded = scratch.at<std::uint16_t>(plan.places.rounded[operand]);
  if (rounded == nullptr) return memory;
  round_to_bf16(target, static_cast<const float*>(memory), rounded, elements(plan.computed, id));
  return rounded;
}

/// From cuDNN's order to the operand's.
void finish(const Target& target, const ConvolutionPlan& plan, const float* from, float* result) {
  const ConvolutionShape& s = plan.shape;
  if (plan.kind == ConvolutionKind::kernel_gradient) {
    filters_last(target, from, result, s.taps_rows * s.taps_columns, s.channels, s.filters);
  } else {
    fold(target, widening(s, plan.computed), from, result);
  }
}

const Descriptor& pack_of(const CudnnLibrary& library, const ConvolutionPlan& plan,
                          const std::array<void*, 4>& pointers) {
  const auto found = std::find_if(plan.packs.begin(), plan.packs.end(),
                                  [&](const TensorPack& pack) { return pack.pointers == pointers; });
  if (found != plan.packs.end()) return found->pack;
  TensorPack made{pointers, Descriptor(library, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)};
  const auto ids = tensor_ids(plan.kind);
  made.pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::span<const std::int64_t>(ids));
  made.pack.set_pointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, std::span<void* const>(pointers).first<3>());
  made.pack.set_pointers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, std::span<void* const>(pointers).last<1>());
  made.pack.finalize();
  if (plan.packs.size() == kMostPacks) plan.packs.erase(plan.packs.begin());
  return plan.packs.emplace_back(std::move(made)).pack;
}

[[noreturn]] void fail(const std::string& refusal) {
  const cudaError_t error = cudaPeekAtLastError();  // a library's failure is often the device's
  if (stays(error)) require(error, "cudnnBackendExecute");
  throw DeviceError(
      refusal + " (a convolution of this step is not computed); take another version of cuDNN, or report this line");
}

}  // namespace

std::int64_t elements(const ConvolutionShape& s, std::int64_t id) {
  if (id == kKernelId) return s.kernel_size();
  return id == kInputId ? s.input_size() : s.output_size();
}

std::unique_ptr<ConvolutionPlan> make_plan(const CudnnLibrary& library, cudnnHandle_t handle, ConvolutionKind kind,
                                           const ConvolutionShape& shape, Precision precision, bool is_widened,
                                           OperationGraph graph, EngineConfiguration configuration) {
  const PlanChoice choice{{}, is_widened, configuration.choice};
  Descriptor descriptor(library, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
  descriptor.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration.configuration);
  descriptor.finalize();
  const auto workspace = descriptor.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  auto plan = std::make_unique<ConvolutionPlan>(ConvolutionPlan{.kind = kind,
                                                                .shape = shape,
                                                                .computed = is_widened ? widened(shape) : shape,
                                                                .precision = precision,
                                                                .choice = choice,
                                                                .graph = std::move(graph),
                                                                .configuration = std::move(configuration),
                                                                .plan = std::move(descriptor),
                                                                .workspace_bytes = workspace,
                                                                .places = {},
                                                                .packs = {}});
  plan->places = lay_out(*plan);
  return plan;
}

void run_plan(const CudnnLibrary& library, cudnnHandle_t handle, const Target& target, const ConvolutionPlan& plan,
              const Memory& memory) {
  const Scratch scratch(plan.places, memory[kScratch]);
  std::array<void*, 4> pointers{};
  for (std::size_t i = 0; i < kResult; ++i) pointers[i] = prepare(target, plan, scratch, i, memory[i]);
  auto* const result = static_cast<float*>(memory[kResult]);
  auto* const reordered = scratch.at<float>(plan.places.reordered[kResult]);
  pointers[kResult] = reordered != nullptr ? reordered : result;
  pointers[3] = scratch.at<void>(plan.places.workspace);
  try {
    const Descriptor& pack = pack_of(library, plan, pointers);
    const cudnnStatus_t status = library.execute(handle, plan.plan.raw(), pack.raw());
    if (status != CUDNN_STATUS_SUCCESS) fail(refusal_text(library, "cudnnBackendExecute", status));
  } catch (const CudnnRefusal& refusal) {
    fail(refusal.what());
  }
  if (reordered != nullptr) finish(target, plan, reordered, result);
}

}  // namespace regatta::engine::cuda
