// Functions that the three passes of a 2-D convolution share. Each row of an image is a product over overlapping rows
// as in a 1-D convolution (conv1d_calls.hpp). The rows of the kernel are the outer steps of its sums.
#pragma once

#include "engine/cpu/products/conv1d_calls.hpp"

namespace regatta::engine::cpu {

/// One axis alone, as the functions of conv1d_ranges.hpp see it.
inline Conv1dShape row_axis(const Conv2dShape& s) {
  return {s.batch, s.rows, s.channels, s.out_rows, s.filters, s.taps, s.stride, s.pad_rows};
}
inline Conv1dShape column_axis(const Conv2dShape& s) {
  return {s.batch, s.columns, s.channels, s.out_columns, s.filters, s.taps, s.stride, s.pad_columns};
}

/// Output positions of all images.
inline std::int64_t positions_of(const Conv2dShape& s) { return s.batch * s.out_rows * s.out_columns; }

/// Operations of one pass.
inline double products(const Conv2dShape& s) {
  return 2.0 * static_cast<double>(positions_of(s)) * static_cast<double>(s.taps * s.taps * s.channels * s.filters);
}

/// Where the right-hand side of a product lies: in scratch as panels, or as rows of `columns` in place.
struct RightSide {
  const float* memory;
  std::int64_t row, panel;  ///< floats between rows and between panels
};

inline RightSide packed_side(const Call& call, std::int64_t rows) {
  const std::int64_t panel = kernels_of(call).panel;
  return {in(call, kScratch), panel, rows * panel};
}
inline RightSide direct_side(const Call& call, std::size_t operand, std::int64_t columns) {
  return {in(call, operand), columns, kernels_of(call).panel};
}

/// Whether rows of so many columns can be read in place without reading beyond them.
inline bool rows_readable(const KernelTable& kernels, std::int64_t columns) {
  return kernels.masked_loads || columns % kernels.panel == 0;
}

/// A call that packs, unless `pack` is null, then a call that multiplies.
template <class Spec>
BoundCalls maybe_pack_then(const Target& target, const Spec& op, const Memory& memory, Launch pack, Launch run) {
  BoundCalls bound;
  if (pack != nullptr) bound.calls[static_cast<std::size_t>(bound.count++)] = make_call(target, op, memory, pack);
  bound.calls[static_cast<std::size_t>(bound.count++)] = make_call(target, op, memory, run);
  return bound;
}

/// Splits the packing of b(k, n) by panels.
inline void split_packing(const Target& target, Call& call, std::int64_t k, std::int64_t n) {
  split(target, call, divide_up(n, target.kernels->panel), static_cast<double>(4 * k * target.kernels->panel));
}

// The three passes, each by its file.
bool conv2d_packs_first(const KernelTable& kernels, const Conv2d& op);
std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2d& op);
BoundCalls bind_conv2d(const Target& target, const Conv2d& op, const Memory& memory);
std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2dKernelGradient& op);
BoundCalls bind_conv2d(const Target& target, const Conv2dKernelGradient& op, const Memory& memory);
std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2dInputGradient& op);
inline bool conv2d_packs_first(const KernelTable& /*kernels*/, const Conv2dKernelGradient& /*op*/) { return false; }
inline bool conv2d_packs_first(const KernelTable& /*kernels*/, const Conv2dInputGradient& /*op*/) { return true; }
BoundCalls bind_conv2d(const Target& target, const Conv2dInputGradient& op, const Memory& memory);

}  // namespace regatta::engine::cpu
