// The kernels of convolutions by Fourier transforms of one instruction set: a part of KernelTable. Only plain types, as
// there. Lanes are neighbouring columns, so that a transform along the rows needs no shuffles.
#pragma once

#include <cstdint>

namespace regatta::engine::cpu {

/// Element (row, column) is memory[first + row * row_stride + column * column_stride]. Where that lies outside
/// [0, size) it is zero when read and left alone when written.
struct TileRows {
  std::int64_t size, first, row_stride, column_stride;
  std::int64_t rows;     ///< rows beyond them are zero
  std::int64_t columns;  ///< one vector of them at most
};

/// Bins 0 to points / 2 of a real signal in each column; bin k lies at spectrum[k * bin_stride], its imaginary part
/// `imaginary` further on.
struct FftView {
  std::int64_t points;
  TileRows tile;
  const float* memory;
  float* spectrum;
  std::int64_t bin_stride, imaginary;
};

/// The signal whose spectrum is a b, or a times the conjugate of b, from the four products of their parts:
/// products[k * bin_stride] is that of the real parts in bin k; a_imaginary and b_imaginary further on are those of the
/// imaginary part of a, of b, and of both.
struct InverseFftView {
  std::int64_t points;
  TileRows tile;
  float* memory;
  bool add;  ///< onto what lies there
  const float* products;
  std::int64_t bin_stride, a_imaginary, b_imaginary;
  bool conjugate_b;
};

struct FftKernels {
  void (*transform)(const FftView& view);
  void (*invert)(const InverseFftView& view);
};

}  // namespace regatta::engine::cpu
