// Matrices that tiled products read, as lines of floats that lie side by side: load(line, place) of line(number) and
// place(number). Elements outside are zero. All numbers and addresses are below 2^31 floats.
#pragma once

#include "engine/cuda/kernels/divider.cuh"
#include "engine/cuda/kernels/packs.cuh"

namespace regatta::engine::cuda {

inline constexpr std::int32_t kOutside = -(std::int32_t{1} << 30);  ///< stays outside, whatever small is added to it

/// A matrix of `lines`, `stride` floats from one to the next.
struct PlainLines {
  const float* x;
  std::int32_t lines, stride;

  using Line = std::int32_t;   // where it begins
  using Place = std::int32_t;  // behind that

  __device__ Line line(std::int32_t number) const { return number < lines ? number * stride : kOutside; }
  __device__ Place place(std::int32_t number, std::int32_t end) const { return number < end ? number : kOutside; }

  template <int kPack>
  __device__ Pack<kPack> load(Line line, Place place) const {
    return line < 0 || place < 0 ? filled<kPack>(0) : cuda::load<kPack>(x + line + place);
  }
};

/// The inputs that positions of a convolution read, from images (samples, rows, columns, channels). A line is a
/// position, a place is a (tap row, tap column, channel). The taps of a tap row lie side by side: a segment.
struct GatheredLines {
  const float* x;
  std::int32_t lines;      ///< positions of all samples
  std::int32_t rows;       ///< an image has
  std::int32_t row;        ///< floats of a row of an image
  Divider across, down;    ///< positions of a sample
  std::int32_t step_rows;  ///< from a position to the one below it, in rows
  std::int32_t step;       ///< from a position to the one beside it, in floats
  std::int32_t pad_rows;
  std::int32_t pad;  ///< floats before the first
  Divider segment;   ///< floats

  struct Line {
    std::int32_t image;             ///< where the sample begins
    std::int32_t first_row, first;  ///< the row that the first tap reads, and the float of that row
  };
  struct Place {
    std::int32_t tap_row, in_segment;
  };

  __device__ Line line(std::int32_t number) const {
    if (number >= lines) return {0, kOutside, 0};
    const Quotient column = divide(static_cast<std::uint32_t>(number), across);
    const Quotient of_sample = divide(column.quotient, down);
    return {signed_of(of_sample.quotient) * rows * row, signed_of(of_sample.remainder) * step_rows - pad_rows,
            signed_of(column.remainder) * step - pad};
  }
  __device__ Place place(std::int32_t number, std::int32_t end) const {
    if (number >= end) return {kOutside, 0};
    const Quotient found = divide(static_cast<std::uint32_t>(number), segment);
    return {signed_of(found.quotient), signed_of(found.remainder)};
  }

  template <int kPack>
  __device__ Pack<kPack> load(const Line& line, const Place& place) const {
    const std::int32_t at_row = line.first_row + place.tap_row;
    const std::int32_t at = line.first + place.in_segment;
    const bool is_inside = at_row >= 0 && at_row < rows && at >= 0 && at < row;
    return is_inside ? cuda::load<kPack>(x + line.image + at_row * row + at) : filled<kPack>(0);
  }
};

/// A kernel (tap rows, tap columns, channels, filters) as an input's gradient reads it: a line for each channel, a
/// place for each (tap row, tap column, filter), the taps in reverse, and of them each `stride`th, the last one `last`.
struct FlippedKernel {
  const float* kernel;
  std::int32_t channels, filters, taps_columns;
  Divider of_tap, across;  ///< filters; tap columns that are read
  std::int32_t stride_rows, stride_columns, last_row, last_column;

  using Line = std::int32_t;
  using Place = std::int32_t;

  __device__ Line line(std::int32_t number) const { return number < channels ? number * filters : kOutside; }
  __device__ Place place(std::int32_t number, std::int32_t end) const {
    if (number >= end) return kOutside;
    const Quotient tap = divide(static_cast<std::uint32_t>(number), of_tap);
    const Quotient column = divide(tap.quotient, across);
    const std::int32_t tap_row = last_row - signed_of(column.quotient) * stride_rows;
    const std::int32_t tap_column = last_column - signed_of(column.remainder) * stride_columns;
    return (tap_row * taps_columns + tap_column) * channels * filters + signed_of(tap.remainder);
  }

  template <int kPack>
  __device__ Pack<kPack> load(Line line, Place place) const {
    return line < 0 || place < 0 ? filled<kPack>(0) : cuda::load<kPack>(kernel + line + place);
  }
};

}  // namespace regatta::engine::cuda
