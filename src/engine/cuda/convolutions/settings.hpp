// The settings for choosing plans of convolutions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/cuda/convolutions/shape.hpp"
#include "engine/cuda/device/target.hpp"
#include "regatta/engine/settings.hpp"

namespace regatta::engine::cuda {

/// Another way to compute convolutions, or several, that plans are compared with.
struct ConvolutionRival {
  /// The ways it has for it, the usual one first; none: it does not compute it. Null: there is no rival.
  std::function<std::vector<int>(ConvolutionKind kind, const ConvolutionShape& shape)> ways = {};
  /// Memory that it wants in operand kScratch.
  std::function<std::int64_t(ConvolutionKind kind, const ConvolutionShape& shape, int way)> scratch_bytes = {};
  /// Issues operands 0 and 1 into 2.
  std::function<void(const Target& target, ConvolutionKind kind, const ConvolutionShape& shape, int way,
                     const Memory& memory)>
      issue = {};
};

struct ConvolutionSettings {
  Precision precision = Precision::fp32;
  bool deterministic = true;
  double choosing_seconds = 0;    ///< for all shapes together; 0: the first engine that the library's heuristics name
  std::string choices_file = {};  ///< keeps what was chosen, by device and version; empty: nothing is kept
  std::string device = {};        ///< the device that choices hold for: name and compute capability
  std::int64_t workspace_bytes = std::int64_t{256} << 20;  ///< an engine that wants more is not taken
  ConvolutionRival rival = {};  ///< where it takes a convolution: cuDNN has a plan only if that was seen to be faster

  [[nodiscard]] std::vector<int> ways_of_rival(ConvolutionKind kind, const ConvolutionShape& shape) const {
    return rival.ways != nullptr ? rival.ways(kind, shape) : std::vector<int>();
  }
};

}  // namespace regatta::engine::cuda
