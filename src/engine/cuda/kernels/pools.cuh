// Pooling over windows that touch without overlapping. A thread has a window of a channel, or of four.
#pragma once

#include "engine/cuda/kernels/elements.cuh"
#include "engine/cuda/kernels/quotients.cuh"
#include "engine/cuda/kernels/scalars.cuh"
#include "regatta/engine/layer_ops.hpp"

namespace regatta::engine::cuda {

/// Windows of one sample and of all; those at the end of an axis may be cut, and nothing is pooled from them.
struct Windows {
  PoolShape shape;
  Divider channels, across, down;  ///< of x, and windows along the columns and the rows of a sample
};

/// A window: where it begins in x, its place in y, and how many rows and columns of x it has.
struct Window {
  std::int64_t x, y;
  std::int64_t rows, columns;
  bool is_whole;
};

/// The window with the number `at`, channels counted first.
inline __device__ Window window_of(const Windows& windows, std::int64_t at) {
  const PoolShape& s = windows.shape;
  const Quotient channel = divide(static_cast<std::uint32_t>(at), windows.channels);
  const Quotient across = divide(channel.quotient, windows.across);
  const Quotient down = divide(across.quotient, windows.down);
  const std::int64_t row = down.remainder * s.window_rows;
  const std::int64_t column = across.remainder * s.window_columns;
  const std::int64_t image = down.quotient;
  const std::int64_t rows = row + s.window_rows <= s.rows ? s.window_rows : s.rows - row;
  const std::int64_t columns = column + s.window_columns <= s.columns ? s.window_columns : s.columns - column;
  const std::int64_t y_row = image * s.out_rows + down.remainder;
  return {((image * s.rows + row) * s.columns + column) * s.channels + channel.remainder,
          (y_row * s.out_columns + across.remainder) * s.channels + channel.remainder, rows, columns,
          down.remainder < s.out_rows && across.remainder < s.out_columns};
}

/// Visits the elements of a window in order, with their places in x.
template <class Visit>
__device__ void for_each_element(const PoolShape& s, const Window& window, const Visit& visit) {
  for (std::int64_t row = 0; row < window.rows; ++row) {
    for (std::int64_t column = 0; column < window.columns; ++column) {
      visit(window.x + (row * s.columns + column) * s.channels);
    }
  }
}

struct LargestOfWindows {
  Windows windows;
  const float* x;
  float* y;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Window window = window_of(windows, at);
    Pack<kCount> largest = load<kCount>(x + window.x);
    for_each_element(windows.shape, window, [&](std::int64_t place) {
      const Pack<kCount> pack = load<kCount>(x + place);
      for (int i = 0; i < kCount; ++i) {
        if (pack.at[i] > largest.at[i] || isnan(pack.at[i])) largest.at[i] = pack.at[i];  // a NaN stays
      }
    });
    store(y + window.y, largest);
  }
};

struct LargestOfWindowsGradient {
  Windows windows;
  const float *dy, *x, *y, *saved;
  float* dx;
  Activation derivative;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Window window = window_of(windows, at);
    const Pack<kCount> zeros = filled<kCount>(0.0F);
    const Pack<kCount> gradient = window.is_whole ? load<kCount>(dy + window.y) : zeros;
    const Pack<kCount> largest = window.is_whole ? load<kCount>(y + window.y) : zeros;
    bool is_taken[kCount];
    for (int i = 0; i < kCount; ++i) is_taken[i] = !window.is_whole;
    for_each_element(windows.shape, window, [&](std::int64_t place) {
      const Pack<kCount> from = load<kCount>(x + place);
      Pack<kCount> to = zeros;
      for (int i = 0; i < kCount; ++i) {
        if (is_taken[i] || !(from.at[i] == largest.at[i] || isnan(from.at[i]))) continue;
        to.at[i] = gradient.at[i];
        is_taken[i] = true;
      }
      if (derivative != Activation::none) {
        const Pack<kCount> output = load<kCount>(saved + place);
        for (int i = 0; i < kCount; ++i) to.at[i] = times_derivative(derivative, to.at[i], output.at[i]);
      }
      store(dx + place, to);
    });
  }
};

struct MeanOfWindows {
  Windows windows;
  const float* x;
  float* y;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Window window = window_of(windows, at);
    Pack<kCount> sum = filled<kCount>(0.0F);
    for_each_element(windows.shape, window, [&](std::int64_t place) {
      const Pack<kCount> pack = load<kCount>(x + place);
      for (int i = 0; i < kCount; ++i) sum.at[i] += pack.at[i];
    });
    const auto size = static_cast<float>(windows.shape.window_rows * windows.shape.window_columns);
    for (int i = 0; i < kCount; ++i) sum.at[i] /= size;
    store(y + window.y, sum);
  }
};

struct MeanOfWindowsGradient {
  Windows windows;
  const float *dy, *saved;
  float* dx;
  Activation derivative;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Window window = window_of(windows, at);
    const auto size = static_cast<float>(windows.shape.window_rows * windows.shape.window_columns);
    Pack<kCount> share = window.is_whole ? load<kCount>(dy + window.y) : filled<kCount>(0.0F);
    for (int i = 0; i < kCount; ++i) share.at[i] /= size;
    for_each_element(windows.shape, window, [&](std::int64_t place) {
      Pack<kCount> to = share;
      if (derivative != Activation::none) {
        const Pack<kCount> output = load<kCount>(saved + place);
        for (int i = 0; i < kCount; ++i) to.at[i] = times_derivative(derivative, share.at[i], output.at[i]);
      }
      store(dx + place, to);
    });
  }
};

}  // namespace regatta::engine::cuda
