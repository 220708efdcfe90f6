// Fourier transforms of real columns, for whichever vector header was included first: two neighbouring rows are one
// complex number, whose spectrum is then taken apart (Press et al., Numerical Recipes, 12.3). Decimation in time, two
// stages at once.
#pragma once

#include "engine/cpu/kernels/fft_kernels.hpp"
#include "engine/cpu/kernels/fft_roots.hpp"

namespace regatta::engine::cpu {
namespace {

struct Complex {
  Vector re, im;
};

inline Complex add(Complex a, Complex b) { return {add(a.re, b.re), add(a.im, b.im)}; }
inline Complex sub(Complex a, Complex b) { return {sub(a.re, b.re), sub(a.im, b.im)}; }
inline Complex times_minus_i(Complex a) { return {a.im, sub(zero(), a.re)}; }

/// a * (cosine - i sine)
inline Complex rotated(Complex a, Root root) {
  const Vector cosine = broadcast(root.cosine), sine = broadcast(root.sine);
  return {multiply_add(a.im, sine, mul(a.re, cosine)), sub(mul(a.im, cosine), mul(a.re, sine))};
}

/// k of `points` on the circle, in its first half.
inline Root root_of(std::int64_t k, std::int64_t points) { return kRoots.of[k * (model::most_fft_points / points)]; }

/// The stages that make transforms of `length` and of 2 * length numbers.
inline void two_stages(Complex* z, std::int64_t count, std::int64_t length) {
  const std::int64_t half = length / 2;
  for (std::int64_t j = 0; j < half; ++j) {
    const Root inner = root_of(j, length), outer = root_of(j, 2 * length);
    for (std::int64_t start = j; start < count; start += 2 * length) {
      const Complex b = rotated(z[start + half], inner), d = rotated(z[start + length + half], inner);
      const Complex low = add(z[start], b), low2 = sub(z[start], b);
      const Complex high = rotated(add(z[start + length], d), outer);
      const Complex high2 = times_minus_i(rotated(sub(z[start + length], d), outer));
      z[start] = add(low, high);
      z[start + half] = add(low2, high2);
      z[start + length] = sub(low, high);
      z[start + length + half] = sub(low2, high2);
    }
  }
}

/// In place; z comes in the order of reversed bits.
inline void complex_transform(Complex* z, std::int64_t count, int bits) {
  std::int64_t length = 2;
  if (bits % 2 == 1) {
    for (std::int64_t i = 0; i < count; i += 2) {
      const Complex a = z[i], b = z[i + 1];
      z[i] = add(a, b);
      z[i + 1] = sub(a, b);
    }
    length = 4;
  }
  for (; length < count; length *= 4) two_stages(z, count, length);
}

inline int bits_of(std::int64_t count) { return 63 - __builtin_clzll(static_cast<unsigned long long>(count)); }

/// The lowest `bits` bits of i, the last one first.
inline std::int64_t reversed(std::int64_t i, int bits) {
  return kReversals.of[i] >> (bits_of(model::most_fft_points) - bits);
}

/// Rows lie far apart, and the next vector of each is wanted next.
inline void ask_for_next(const float* here) { asm volatile("prefetcht0 %0" : : "m"(here[2 * kWidth])); }

inline bool is_inside(const TileRows& tile, std::int64_t row) {
  const std::int64_t at = tile.first + row * tile.row_stride;
  return tile.column_stride == 1 && at >= 0 && at + tile.columns <= tile.size;
}

inline Vector load_row(const TileRows& tile, const float* memory, std::int64_t row) {
  if (row >= tile.rows) return zero();
  const std::int64_t start = tile.first + row * tile.row_stride;
  if (is_inside(tile, row)) {
    ask_for_next(memory + start);
    return tile.columns == kWidth ? load(memory + start) : load_first(memory + start, tile.columns);
  }
  float lanes[kWidth] = {};
  for (std::int64_t column = 0; column < tile.columns; ++column) {
    const std::int64_t at = start + column * tile.column_stride;
    if (at >= 0 && at < tile.size) lanes[column] = memory[at];
  }
  return load(lanes);
}

inline void store_row(const InverseFftView& view, std::int64_t row, Vector value) {
  const TileRows& tile = view.tile;
  const std::int64_t start = tile.first + row * tile.row_stride;
  if (is_inside(tile, row) && tile.columns == kWidth) {
    return store(view.memory + start, view.add ? add(load(view.memory + start), value) : value);
  }
  float lanes[kWidth];
  store(lanes, value);
  for (std::int64_t column = 0; column < tile.columns; ++column) {
    const std::int64_t at = start + column * tile.column_stride;
    if (at < 0 || at >= tile.size) continue;
    view.memory[at] = view.add ? view.memory[at] + lanes[column] : lanes[column];
  }
}

inline void store_bin(const FftView& view, std::int64_t bin, Complex value) {
  store(view.spectrum + bin * view.bin_stride, value.re);
  store(view.spectrum + bin * view.bin_stride + view.imaginary, value.im);
}

/// Even rows are real parts, odd ones imaginary: bins come from sums and differences of mirrored ones.
void transform(const FftView& view) {
  Complex z[model::most_fft_points / 2];
  const std::int64_t count = view.points / 2;
  const int bits = bits_of(count);
  for (std::int64_t i = 0; i < count; ++i) {
    z[reversed(i, bits)] = {load_row(view.tile, view.memory, 2 * i), load_row(view.tile, view.memory, 2 * i + 1)};
  }
  complex_transform(z, count, bits);
  store_bin(view, 0, {add(z[0].re, z[0].im), zero()});
  store_bin(view, count, {sub(z[0].re, z[0].im), zero()});
  const Vector half = broadcast(0.5F);
  for (std::int64_t k = 1; k <= count / 2; ++k) {
    const Complex a = z[k], b = z[count - k];
    const Complex even = {mul(half, add(a.re, b.re)), mul(half, sub(a.im, b.im))};
    const Complex odd = {mul(half, add(a.im, b.im)), mul(half, sub(b.re, a.re))};
    const Complex turned = rotated(odd, root_of(k, view.points));
    store_bin(view, k, add(even, turned));
    store_bin(view, count - k, {sub(even.re, turned.re), sub(turned.im, even.im)});
  }
}

inline Complex load_bin(const InverseFftView& view, std::int64_t bin) {
  const float* const real = view.products + bin * view.bin_stride;
  const float* const imaginary = real + view.a_imaginary;
  for (const float* part : {real, imaginary}) {
    ask_for_next(part);
    ask_for_next(part + view.b_imaginary);
  }
  const Vector both = load(imaginary + view.b_imaginary), left = load(imaginary), right = load(real + view.b_imaginary);
  if (view.conjugate_b) return {add(load(real), both), sub(left, right)};
  return {sub(load(real), both), add(left, right)};
}

/// The transform of a signal with its parts exchanged is its inverse with the parts exchanged, but for a factor.
void invert(const InverseFftView& view) {
  Complex z[model::most_fft_points / 2];
  const std::int64_t count = view.points / 2;
  const int bits = bits_of(count);
  const Vector scale = broadcast(1.0F / static_cast<float>(view.points));
  const auto put = [&](std::int64_t k, Complex value) {
    z[reversed(k, bits)] = {mul(scale, value.im), mul(scale, value.re)};
  };
  const Vector first = load_bin(view, 0).re, last = load_bin(view, count).re;
  put(0, {add(first, last), sub(first, last)});
  for (std::int64_t k = 1; k <= count / 2; ++k) {
    const Complex a = load_bin(view, k), b = load_bin(view, count - k);
    const Complex even = {add(a.re, b.re), sub(a.im, b.im)};
    const Root root = root_of(k, view.points);
    const Complex odd = rotated({sub(a.re, b.re), add(a.im, b.im)}, {root.cosine, -root.sine});
    put(k, {sub(even.re, odd.im), add(even.im, odd.re)});
    put(count - k, {add(even.re, odd.im), sub(odd.re, even.im)});
  }
  complex_transform(z, count, bits);
  for (std::int64_t row = 0; row < view.tile.rows; ++row) {
    store_row(view, row, row % 2 == 0 ? z[row / 2].im : z[row / 2].re);
  }
}

constexpr FftKernels make_fft_kernels() { return {transform, invert}; }

}  // namespace
}  // namespace regatta::engine::cpu
