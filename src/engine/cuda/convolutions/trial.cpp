#include "engine/cuda/convolutions/trial.hpp"

#include <new>

namespace regatta::engine::cuda {

namespace {

constexpr int kOrdinaryByte = 0x3d;  // repeated, an ordinary number: 0.0462 as fp32 and as bf16

}  // namespace

ConvolutionTrial::ConvolutionTrial(const PlanWorkshop& workshop, const ConvolutionShape& shape, ConvolutionKind kind)
    : workshop_(workshop), shape_(shape), kind_(kind), begin_(make_timed_event()), end_(make_timed_event()) {
  const auto ids = tensor_ids(kind);
  try {
    for (std::size_t i = 0; i < ids.size(); ++i) memory_[i] = take(floats(elements(shape, ids[i])));
    is_complete_ = true;
  } catch (const std::bad_alloc&) {  // a session may still fit, whose operands share memory
  } catch (...) {
    release();
    throw;
  }
}

ConvolutionTrial::~ConvolutionTrial() { release(); }

std::optional<double> ConvolutionTrial::seconds_of(const ConvolutionPlan& plan, int runs) {
  return seconds_of(plan.places.bytes, runs,
                    [&] { run_plan(workshop_.library, workshop_.handle, workshop_.target, plan, memory_); });
}

std::optional<double> ConvolutionTrial::seconds_of_way(int way, int runs) {
  const ConvolutionRival& rival = workshop_.settings.rival;
  Target target = workshop_.target;
  target.starts_early = false;  // a run beside the one before would look faster than it is behind other kernels
  return seconds_of(rival.scratch_bytes(kind_, shape_, way), runs,
                    [&] { rival.issue(target, kind_, shape_, way, memory_); });
}

std::optional<double> ConvolutionTrial::seconds_of(std::int64_t scratch_bytes, int runs,
                                                   const std::function<void()>& run) {
  if (!is_complete_ || !hold_scratch(scratch_bytes)) return {};
  const cudaStream_t stream = workshop_.target.stream;
  require(cudaEventRecord(begin_.get(), stream), "cudaEventRecord");
  for (int i = 0; i < runs; ++i) run();
  require(cudaEventRecord(end_.get(), stream), "cudaEventRecord");
  require(cudaEventSynchronize(end_.get()), "cudaEventSynchronize");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) / 1e3 / runs;
}

bool ConvolutionTrial::hold_scratch(std::int64_t bytes) {
  if (bytes <= scratch_bytes_) return true;
  try {
    if (memory_[kScratch] != nullptr) workshop_.memory.release(memory_[kScratch]);
    memory_[kScratch] = nullptr;
    scratch_bytes_ = 0;
    memory_[kScratch] = take(bytes);
    scratch_bytes_ = bytes;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void* ConvolutionTrial::take(std::int64_t bytes) {
  void* const memory = workshop_.memory.allocate(bytes);
  try {
    require(cudaMemsetAsync(memory, kOrdinaryByte, static_cast<std::size_t>(bytes), workshop_.target.stream),
            "cudaMemsetAsync");
  } catch (...) {
    workshop_.memory.release(memory);
    throw;
  }
  return memory;
}

void ConvolutionTrial::release() noexcept {
  for (void*& memory : memory_) {
    if (memory != nullptr) workshop_.memory.release(memory);
    memory = nullptr;
  }
}

}  // namespace regatta::engine::cuda
