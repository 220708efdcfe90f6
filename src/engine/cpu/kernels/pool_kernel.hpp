// Pooling, for whichever vector header was included first. Units are rows of output, each with the rows of input that
// its windows cover; windows of usual sizes are unrolled. Elements that no window covers get no gradient; the last unit
// of an image clears the rows left over below it.
#pragma once

#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/vectors/elementwise_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

/// One row of output windows; channels last.
struct PoolView {
  const float* x;              ///< at the first window's first element
  std::int64_t x_row;          ///< between rows of x
  std::int64_t rows, columns;  ///< size of a window
  std::int64_t windows, channels;
  float* y;  ///< (windows, channels)
};

/// The same row backwards: writes every element of dx that a window covers.
struct PoolGradientView {
  const float* dy;  ///< (windows, channels)
  const float* x;   ///< max only
  const float* y;   ///< max only: (windows, channels)
  float* dx;
  std::int64_t x_row;  ///< between rows of x and of dx
  std::int64_t rows, columns;
  std::int64_t windows, channels;
};

/// Calls body(offset in x) for each element of a window; sizes of 0 are read from the view.
template <int fixed_rows, int fixed_columns, class View, class Body>
inline void for_window(const View& view, const Body& body) {
  const std::int64_t rows = fixed_rows > 0 ? fixed_rows : view.rows;
  const std::int64_t columns = fixed_columns > 0 ? fixed_columns : view.columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) body(row * view.x_row + column * view.channels);
  }
}

/// Calls function with the window's sizes as types where they are usual ones.
template <class View, class Function>
inline void by_window(const View& view, const Function& function) {
  if (view.rows == 2 && view.columns == 2) return function.template operator()<2, 2>(view);
  if (view.rows == 1 && view.columns == 2) return function.template operator()<1, 2>(view);
  return function.template operator()<0, 0>(view);
}

/// The larger of both; NaN where one is.
inline Vector larger(Vector a, Vector b) { return select(equal(a, a), maximum(a, b), a); }

struct MaxWindows {
  template <int rows, int columns>
  void operator()(const PoolView& view) const {
    for (std::int64_t window = 0; window < view.windows; ++window) {
      const float* const x = view.x + window * view.columns * view.channels;
      float* const y = view.y + window * view.channels;
      for_vectors(
          view.channels,
          [&](std::int64_t i) {
            Vector top = load(x + i);
            for_window<rows, columns>(view, [&](std::int64_t at) { top = larger(top, load(x + i + at)); });
            store(y + i, top);
          },
          [&](std::int64_t i, std::int64_t n) {
            Vector top = load_first(x + i, n);
            for_window<rows, columns>(view, [&](std::int64_t at) { top = larger(top, load_first(x + i + at, n)); });
            store_first(y + i, n, top);
          });
    }
  }
};

struct AverageWindows {
  float factor;

  template <int rows, int columns>
  void operator()(const PoolView& view) const {
    for (std::int64_t window = 0; window < view.windows; ++window) {
      const float* const x = view.x + window * view.columns * view.channels;
      float* const y = view.y + window * view.channels;
      for_vectors(
          view.channels,
          [&](std::int64_t i) {
            Vector total = zero();
            for_window<rows, columns>(view, [&](std::int64_t at) { total = add(total, load(x + i + at)); });
            store(y + i, mul(total, broadcast(factor)));
          },
          [&](std::int64_t i, std::int64_t n) {
            Vector total = zero();
            for_window<rows, columns>(view, [&](std::int64_t at) { total = add(total, load_first(x + i + at, n)); });
            store_first(y + i, n, mul(total, broadcast(factor)));
          });
    }
  }
};

/// The share that an element of a window takes of `left`, the gradient that no element before it took.
struct Share {
  Vector taken, left;
};

inline Share share_of(Vector x, Vector top, Vector left) {
  const Mask number = equal(x, x);
  const Mask hit = equal(x, top);
  return {select(number, select(hit, left, zero()), left), select(number, select(hit, zero(), left), zero())};
}

struct MaxWindowsGradient {
  template <int rows, int columns>
  void operator()(const PoolGradientView& view) const {
    for (std::int64_t window = 0; window < view.windows; ++window) {
      const std::int64_t begin = window * view.columns * view.channels;
      const float* const x = view.x + begin;
      float* const dx = view.dx + begin;
      const std::int64_t out = window * view.channels;
      for_vectors(
          view.channels,
          [&](std::int64_t i) {
            const Vector top = load(view.y + out + i);
            Vector left = load(view.dy + out + i);
            for_window<rows, columns>(view, [&](std::int64_t at) {
              const Share share = share_of(load(x + i + at), top, left);
              store(dx + i + at, share.taken);
              left = share.left;
            });
          },
          [&](std::int64_t i, std::int64_t n) {
            const Vector top = load_first(view.y + out + i, n);
            Vector left = load_first(view.dy + out + i, n);
            for_window<rows, columns>(view, [&](std::int64_t at) {
              const Share share = share_of(load_first(x + i + at, n), top, left);
              store_first(dx + i + at, n, share.taken);
              left = share.left;
            });
          });
    }
  }
};

void average_windows_gradient(const PoolGradientView& view, float factor) {
  for (std::int64_t window = 0; window < view.windows; ++window) {
    const float* const dy = view.dy + window * view.channels;
    float* const dx = view.dx + window * view.columns * view.channels;
    for_window<0, 0>(view, [&](std::int64_t at) {
      combine(dy, dy, dx + at, view.channels, [factor](Vector v, Vector) { return mul(v, broadcast(factor)); });
    });
  }
}

struct PoolPlace {
  std::int64_t in, out;  ///< offsets of the unit's first input and output
};

PoolPlace place_of(const PoolShape& s, std::int64_t unit) {
  const std::int64_t image = unit / s.out_rows;
  const std::int64_t row = unit % s.out_rows;
  return {(image * s.rows + row * s.window_rows) * s.columns * s.channels, unit * s.out_columns * s.channels};
}

float share_of_window(const PoolShape& s) { return 1.0F / static_cast<float>(s.window_rows * s.window_columns); }

PoolView view_of(const Call& call, const PoolShape& s, std::int64_t unit) {
  const PoolPlace place = place_of(s, unit);
  return {in(call, 0) + place.in,  s.columns * s.channels, s.window_rows, s.window_columns, s.out_columns, s.channels,
          out(call, 1) + place.out};
}

void pool_row(const Call& call, const MaxPool& op, std::int64_t unit) {
  by_window(view_of(call, op.shape, unit), MaxWindows{});
}

void pool_row(const Call& call, const AveragePool& op, std::int64_t unit) {
  by_window(view_of(call, op.shape, unit), AverageWindows{share_of_window(op.shape)});
}

PoolGradientView gradient_view(const Call& call, const PoolShape& s, std::int64_t unit) {
  const PoolPlace place = place_of(s, unit);
  return {.dy = in(call, 0) + place.out,
          .x = nullptr,
          .y = nullptr,
          .dx = out(call, 2) + place.in,
          .x_row = s.columns * s.channels,
          .rows = s.window_rows,
          .columns = s.window_columns,
          .windows = s.out_columns,
          .channels = s.channels};
}

void clear(float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = 0;
}

/// Clears the unit's inputs outside of all windows, then applies the derivative of the activation before the pooling.
void finish_row(const Call& call, const PoolShape& s, Activation derivative, std::int64_t unit) {
  const PoolPlace place = place_of(s, unit);
  const std::int64_t row = s.columns * s.channels;
  const std::int64_t covered = s.out_columns * s.window_columns * s.channels;
  const bool last = unit % s.out_rows == s.out_rows - 1;
  const std::int64_t rows = last ? s.rows - (s.out_rows - 1) * s.window_rows : s.window_rows;
  float* const dx = out(call, 2) + place.in;
  for (std::int64_t i = 0; i < s.window_rows; ++i) clear(dx + i * row + covered, row - covered);
  clear(dx + s.window_rows * row, (rows - s.window_rows) * row);
  if (derivative == Activation::none) return;
  // Through the table: a second caller by name would keep the function out of gemm, where it is inlined.
  kernels_of(call).activate_gradient(derivative, dx, in(call, 4) + place.in, rows * row);
}

void pool_row(const Call& call, const MaxPoolGradient& op, std::int64_t unit) {
  const PoolPlace place = place_of(op.shape, unit);
  PoolGradientView view = gradient_view(call, op.shape, unit);
  view.x = in(call, 1) + place.in;
  view.y = in(call, 3) + place.out;
  by_window(view, MaxWindowsGradient{});
  finish_row(call, op.shape, op.derivative, unit);
}

void pool_row(const Call& call, const AveragePoolGradient& op, std::int64_t unit) {
  average_windows_gradient(gradient_view(call, op.shape, unit), share_of_window(op.shape));
  finish_row(call, op.shape, op.derivative, unit);
}

constexpr void enter_pools(OpKernel* kernels) {
  enter_kernels<MaxPool, MaxPoolGradient, AveragePool, AveragePoolGradient>(
      kernels,
      [](const Call& call, const auto& op, std::int64_t begin, std::int64_t end) {
        for (std::int64_t unit = begin; unit < end; ++unit) pool_row(call, op, unit);
      },
      [](const auto& op) -> Split {
        constexpr double kElement = 4;  // streaming one, in operations of kWorthSplitting
        const PoolShape& s = op.shape;
        return {s.batch * s.out_rows, kElement * static_cast<double>(s.window_rows * s.columns * s.channels)};
      });
}

}  // namespace
}  // namespace regatta::engine::cpu
