// How a 1-D convolution is cut into tiles that Fourier transforms take: overlap-save (Stockham, "High-speed convolution
// and correlation", 1966).
#pragma once

#include <cstdint>
#include <optional>

#include "regatta/model/model.hpp"

namespace regatta::model {

/// Numbers of one pass of a 1-D convolution.
struct ConvolutionSize {
  std::int64_t channels, positions, filters, taps, stride;
};

/// The convolution with `stride` rows of its input taken as one row of stride * channels columns: then its stride is 1.
/// A tile reads `points` such rows and makes `positions` of the output.
struct FftTiling {
  std::int64_t columns;    ///< stride * channels
  std::int64_t taps;       ///< ceil(taps / stride)
  std::int64_t points;     ///< length of a transform: a power of two
  std::int64_t positions;  ///< positions in a tile: points - taps + 1
  std::int64_t tiles;      ///< tiles in an image
};

inline constexpr std::int64_t fewest_fft_points = 16;
inline constexpr std::int64_t most_fft_points = 2048;

/// The tiling of least work; nothing if no tiling has less work than the convolution taken directly. It is chosen for a
/// batch of 32, whatever the batch is: the kernel is transformed once for all samples.
std::optional<FftTiling> fft_tiling(const ConvolutionSize& size);

/// Whether the network has a 1-D convolution with such a tiling.
bool has_fft_convolution(const Network& network);

}  // namespace regatta::model
