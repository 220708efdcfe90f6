// A plan run on memory of its own, as often as it is timed.
#pragma once

#include <functional>
#include <optional>

#include "engine/cuda/convolutions/plan.hpp"
#include "engine/cuda/convolutions/workshop.hpp"
#include "engine/cuda/device/handles.hpp"

namespace regatta::engine::cuda {

/// Memory for the operands of one convolution, and what runs in it.
class ConvolutionTrial {
 public:
  /// Takes the memory, unless there is not enough.
  ConvolutionTrial(const PlanWorkshop& workshop, const ConvolutionShape& shape, ConvolutionKind kind);
  ~ConvolutionTrial();
  ConvolutionTrial(const ConvolutionTrial&) = delete;
  ConvolutionTrial& operator=(const ConvolutionTrial&) = delete;

  /// Runs it `runs` times and waits. Seconds of one run; nothing where memory does not suffice. Throws DeviceError.
  std::optional<double> seconds_of(const ConvolutionPlan& plan, int runs);

  /// The same of a way of the settings' rival.
  std::optional<double> seconds_of_way(int way, int runs);

 private:
  std::optional<double> seconds_of(std::int64_t scratch_bytes, int runs, const std::function<void()>& run);
  /// Makes room for so much scratch memory.
  bool hold_scratch(std::int64_t bytes);
  void* take(std::int64_t bytes);
  void release() noexcept;

  const PlanWorkshop& workshop_;
  const ConvolutionShape shape_;
  ConvolutionKind kind_;
  Memory memory_{};
  std::int64_t scratch_bytes_ = 0;
  bool is_complete_ = false;
  EventHandle begin_, end_;
};

}  // namespace regatta::engine::cuda
