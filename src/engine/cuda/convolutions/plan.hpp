// One convolution made ready: an engine of cuDNN with its workspace, and what own kernels do around it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/cuda/convolutions/engines.hpp"
#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// How a plan is computed, as it is kept in a file.
struct PlanChoice {
  std::optional<int> way = {};  ///< in which ConvolutionSettings::rival computes it, no engine
  bool widened = false;         ///< over images that are copied with their zeros, without padding
  EngineChoice engine;
  bool operator==(const PlanChoice&) const = default;
};

/// Places in the scratch memory, in bytes from its first multiple of 256; -1: not used.
struct ScratchPlaces {
  std::array<std::int64_t, 3> reordered{-1, -1, -1};  ///< operand in fp32, in cuDNN's order or with its zeros
  std::array<std::int64_t, 3> rounded{-1, -1, -1};    ///< operand in bf16
  std::int64_t workspace = -1;
  std::int64_t bytes = 0;
};

/// Operands as cuDNN was told of them last; making that anew takes the host longer than passing it on.
struct TensorPack {
  std::array<void*, 4> pointers;  ///< operands 0 to 2, workspace
  Descriptor pack;
};

struct ConvolutionPlan {
  ConvolutionKind kind;
  ConvolutionShape shape;     ///< as it was asked for
  ConvolutionShape computed;  ///< as cuDNN sees it
  Precision precision;
  PlanChoice choice;
  OperationGraph graph;
  EngineConfiguration configuration;
  Descriptor plan;
  std::int64_t workspace_bytes;
  ScratchPlaces places;
  mutable std::vector<TensorPack> packs;
};

/// How many elements the tensor of that id has.
std::int64_t elements(const ConvolutionShape& shape, std::int64_t id);

/// Builds it from a configuration that belongs to `graph`. Throws CudnnRefusal.
std::unique_ptr<ConvolutionPlan> make_plan(const CudnnLibrary& library, cudnnHandle_t handle, ConvolutionKind kind,
                                           const ConvolutionShape& shape, Precision precision, bool is_widened,
                                           OperationGraph graph, EngineConfiguration configuration);

/// Convolutions::run; the handle issues into the target's stream already.
void run_plan(const CudnnLibrary& library, cudnnHandle_t handle, const Target& target, const ConvolutionPlan& plan,
              const Memory& memory);

}  // namespace regatta::engine::cuda
