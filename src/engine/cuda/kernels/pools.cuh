// Pooling over windows that touch without overlapping. A thread has a window of a channel, or of four.
#pragma once

#include "engine/cuda/kernels/divider.cuh"
#include "engine/cuda/kernels/elements.cuh"
#include "engine/cuda/kernels/scalars.cuh"

namespace regatta::engine::cuda {

/// The shape of a pool and its windows; all places in x and y are below 2^31. Windows that are cut at the end of an
/// axis hold elements of x, and nothing is pooled from them.
struct Windows {
  std::int32_t rows, columns, channels;      ///< x
  std::int32_t window_rows, window_columns;  ///< at most
  std::int32_t out_rows, out_columns;        ///< y
  Divider by_channels, across, down;         ///< windows along the columns and the rows of a sample
};

/// A window: where it begins in x, its place in y, and how many rows and columns of x it has.
struct Window {
  std::int32_t x, y;
  std::int32_t rows, columns;
  bool is_whole;
};

/// The window with the number `at`, channels counted first.
inline __device__ Window window_of(const Windows& s, std::int64_t at) {
  const Quotient channel = divide(static_cast<std::uint32_t>(at), s.by_channels);
  const Quotient across = divide(channel.quotient, s.across);
  const Quotient down = divide(across.quotient, s.down);
  const std::int32_t y_row = signed_of(down.remainder), y_column = signed_of(across.remainder);
  const std::int32_t image = signed_of(down.quotient), first = signed_of(channel.remainder);
  const std::int32_t row = y_row * s.window_rows, column = y_column * s.window_columns;
  const std::int32_t rows = row + s.window_rows <= s.rows ? s.window_rows : s.rows - row;
  const std::int32_t columns = column + s.window_columns <= s.columns ? s.window_columns : s.columns - column;
  return {((image * s.rows + row) * s.columns + column) * s.channels + first,
          ((image * s.out_rows + y_row) * s.out_columns + y_column) * s.channels + first, rows, columns,
          y_row < s.out_rows && y_column < s.out_columns};
}

/// Visits the elements of a window in order, with their places in x.
template <class Visit>
__device__ void for_each_element(const Windows& s, const Window& window, const Visit& visit) {
  std::int32_t place = window.x, column = 0;
  for (std::int32_t left = window.rows * window.columns; left > 0; --left) {
    visit(place);
    place += s.channels;
    if (++column < window.columns) continue;
    column = 0;
    place += (s.columns - window.columns) * s.channels;
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
    for_each_element(windows, window, [&](std::int32_t place) {
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
    for_each_element(windows, window, [&](std::int32_t place) {
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
    for_each_element(windows, window, [&](std::int32_t place) {
      const Pack<kCount> pack = load<kCount>(x + place);
      for (int i = 0; i < kCount; ++i) sum.at[i] += pack.at[i];
    });
    const auto size = static_cast<float>(windows.window_rows * windows.window_columns);
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
    const auto size = static_cast<float>(windows.window_rows * windows.window_columns);
    Pack<kCount> share = window.is_whole ? load<kCount>(dy + window.y) : filled<kCount>(0.0F);
    for (int i = 0; i < kCount; ++i) share.at[i] /= size;
    for_each_element(windows, window, [&](std::int32_t place) {
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
