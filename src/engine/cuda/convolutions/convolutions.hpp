// Convolutions through cuDNN's graph API. Where the library is not there, or has no engine for a shape, there is no
// plan, and the caller takes the product of the unfolded input.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/cuda/convolutions/settings.hpp"
#include "engine/cuda/convolutions/shape.hpp"
#include "engine/cuda/device/memory_source.hpp"
#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// How one convolution is computed.
struct ConvolutionPlan;

/// The plans of a backend, with the library's handle. Not for two threads at once.
class Convolutions {
 public:
  /// Loads nothing yet. Plans are timed and warmed up on `target`, whose stream is then waited for.
  Convolutions(ConvolutionSettings settings, const Target& target, DeviceMemorySource memory);
  ~Convolutions();
  Convolutions(const Convolutions&) = delete;
  Convolutions& operator=(const Convolutions&) = delete;

  /// Why there is no plan for any shape: library missing, or no handle to be had. Empty: there is a library.
  const std::string& missing();

  /// Valid as long as this; null where cuDNN has no engine for it. The first question for a shape builds the plan and
  /// runs it once (libraries load kernels then, which a capture does not allow), and is refused during a capture:
  /// InternalError. Throws DeviceError.
  const ConvolutionPlan* find(ConvolutionKind kind, const ConvolutionShape& shape);

  /// The way of the settings' rival that was chosen where find() gave null; nothing: none was.
  [[nodiscard]] std::optional<int> way(ConvolutionKind kind, const ConvolutionShape& shape) const;

  /// Why find() gave null; else nothing that matters.
  [[nodiscard]] std::string refusal(ConvolutionKind kind, const ConvolutionShape& shape) const;

  /// Issues operands 0 and 1 into 2, with scratch_bytes(plan) of scratch memory in operand kScratch. No bias, no
  /// activation. May be captured. Throws DeviceError.
  void run(const Target& target, const ConvolutionPlan& plan, const Memory& memory);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Scratch memory that the plan wants, its workspace included.
std::int64_t scratch_bytes(const ConvolutionPlan& plan);

/// For people: "cuDNN engine 37, knobs 2=4 13=1".
std::string text_of(const ConvolutionPlan& plan);

/// For people: "cuDNN 9.19.0", or what is missing.
std::string cudnn_version();

}  // namespace regatta::engine::cuda
