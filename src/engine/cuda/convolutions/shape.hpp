// Convolutions as all of this room sees them: over images; one over sequences is over images of one row.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "regatta/engine/ops.hpp"

namespace regatta::engine::cuda {

/// The result that operands 0 and 1 give in operand 2. It is y from x and kernel, the kernel's gradient from x and dy,
/// or dx from dy and kernel.
enum class ConvolutionKind { forward, kernel_gradient, input_gradient };

/// Geometry as Conv2dShape's, whose axes may differ: position (p, q) reads rows p * stride_rows - pad_rows + [0,
/// taps_rows), and columns alike; what lies outside counts as zero. All dense, channels last.
struct ConvolutionShape {
  std::int64_t batch, rows, columns, channels;  // x
  std::int64_t out_rows, out_columns, filters;  // y
  std::int64_t taps_rows, taps_columns;         // kernel (taps_rows, taps_columns, channels, filters)
  std::int64_t stride_rows, stride_columns;
  std::int64_t pad_rows, pad_columns;  // before the first row and column

  [[nodiscard]] std::int64_t input_size() const { return batch * rows * columns * channels; }
  [[nodiscard]] std::int64_t output_size() const { return batch * out_rows * out_columns * filters; }
  [[nodiscard]] std::int64_t kernel_size() const { return taps_rows * taps_columns * channels * filters; }
  auto operator<=>(const ConvolutionShape&) const = default;
};

ConvolutionShape image_of(const Conv1dShape& shape);
ConvolutionShape image_of(const Conv2dShape& shape);

/// Zeros around an axis. `after` is what the last position asks for, or as many as before it where that changes no
/// position: engines like both alike.
struct Padding {
  std::int64_t before, after;
  bool operator==(const Padding&) const = default;
};
Padding padding_of_rows(const ConvolutionShape& shape);
Padding padding_of_columns(const ConvolutionShape& shape);

/// The same convolution without padding, over images that hold the zeros.
ConvolutionShape widened(const ConvolutionShape& shape);

/// "forward 32 1 140 30 1 140 256 1 20 1 1 0 9": one word for each number.
std::string text_of(ConvolutionKind kind, const ConvolutionShape& shape);

}  // namespace regatta::engine::cuda
