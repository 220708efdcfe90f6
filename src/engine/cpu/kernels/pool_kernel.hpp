// Pooling, for whichever vector header was included first. Windows of usual sizes are unrolled.
#pragma once

#include "engine/cpu/kernels/layer_kernels.hpp"
#include "engine/cpu/vectors/elementwise_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

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

/// What an element of a window gets of `left`, the gradient that no element before it took.
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

void max_pool(const PoolView& view) { by_window(view, MaxWindows{}); }

void average_pool(const PoolView& view, float factor) { by_window(view, AverageWindows{factor}); }

void max_pool_gradient(const PoolGradientView& view) { by_window(view, MaxWindowsGradient{}); }

void average_pool_gradient(const PoolGradientView& view, float factor) {
  for (std::int64_t window = 0; window < view.windows; ++window) {
    const float* const dy = view.dy + window * view.channels;
    float* const dx = view.dx + window * view.columns * view.channels;
    for_window<0, 0>(view, [&](std::int64_t at) {
      combine(dy, dy, dx + at, view.channels, [factor](Vector v, Vector) { return mul(v, broadcast(factor)); });
    });
  }
}

}  // namespace
}  // namespace regatta::engine::cpu
