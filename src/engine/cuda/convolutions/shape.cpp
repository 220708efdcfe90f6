#include "engine/cuda/convolutions/shape.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace regatta::engine::cuda {

namespace {

std::int64_t positions(std::int64_t length, std::int64_t padding, std::int64_t taps, std::int64_t stride) {
  return (length + padding - taps) / stride + 1;
}

Padding padding(std::int64_t length, std::int64_t outputs, std::int64_t taps, std::int64_t stride,
                std::int64_t before) {
  const std::int64_t after = std::max<std::int64_t>(0, (outputs - 1) * stride + taps - length - before);
  const bool is_even = after <= before && positions(length, 2 * before, taps, stride) == outputs;
  return {before, is_even ? before : after};
}

const char* name_of(ConvolutionKind kind) {
  switch (kind) {
    case ConvolutionKind::forward:
      return "forward";
    case ConvolutionKind::kernel_gradient:
      return "kernel_gradient";
    case ConvolutionKind::input_gradient:
      return "input_gradient";
  }
  return "";
}

}  // namespace

ConvolutionShape image_of(const Conv1dShape& s) {
  return {.batch = s.batch,
          .rows = 1,
          .columns = s.length,
          .channels = s.channels,
          .out_rows = 1,
          .out_columns = s.positions,
          .filters = s.filters,
          .taps_rows = 1,
          .taps_columns = s.taps,
          .stride_rows = 1,
          .stride_columns = s.stride,
          .pad_rows = 0,
          .pad_columns = s.pad};
}

ConvolutionShape image_of(const Conv2dShape& s) {
  return {.batch = s.batch,
          .rows = s.rows,
          .columns = s.columns,
          .channels = s.channels,
          .out_rows = s.out_rows,
          .out_columns = s.out_columns,
          .filters = s.filters,
          .taps_rows = s.taps,
          .taps_columns = s.taps,
          .stride_rows = s.stride,
          .stride_columns = s.stride,
          .pad_rows = s.pad_rows,
          .pad_columns = s.pad_columns};
}

Padding padding_of_rows(const ConvolutionShape& s) {
  return padding(s.rows, s.out_rows, s.taps_rows, s.stride_rows, s.pad_rows);
}

Padding padding_of_columns(const ConvolutionShape& s) {
  return padding(s.columns, s.out_columns, s.taps_columns, s.stride_columns, s.pad_columns);
}

ConvolutionShape widened(const ConvolutionShape& shape) {
  ConvolutionShape wide = shape;
  const Padding rows = padding_of_rows(shape);
  const Padding columns = padding_of_columns(shape);
  wide.rows += rows.before + rows.after;
  wide.columns += columns.before + columns.after;
  wide.pad_rows = wide.pad_columns = 0;
  return wide;
}

std::string text_of(ConvolutionKind kind, const ConvolutionShape& s) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", name_of(kind), s.batch, s.rows, s.columns, s.channels,
                     s.out_rows, s.out_columns, s.filters, s.taps_rows, s.taps_columns, s.stride_rows, s.stride_columns,
                     s.pad_rows, s.pad_columns);
}

}  // namespace regatta::engine::cuda
