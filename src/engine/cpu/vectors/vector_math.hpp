// Elementary functions on vectors, for whichever vector header was included first. Errors are stated
// against the exact value and tested against the standard library. NaN stays NaN; infinities go where
// IEEE 754 sends them. Method: Cody and Waite's reduction with the minimax polynomials of Cephes
// (S. Moshier, expf, logf, tanhf).
#pragma once

#include "regatta/engine/ops.hpp"

#if defined(__clang__)
#define REGATTA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define REGATTA_UNROLL _Pragma("GCC unroll 16")
#endif

namespace regatta::engine::cpu {
namespace {

/// e^x, within 2 ulp; below the normal range within 2 times the smallest subnormal number.
inline Vector exponential(Vector x) {
  const Vector bounded = maximum(broadcast(-104.0F), minimum(broadcast(89.0F), x));  // 0 and infinity beyond
  const Vector n = round_nearest(mul(bounded, broadcast(1.44269504088896341F)));
  Vector r = multiply_add(n, broadcast(-0.693359375F), bounded);
  r = multiply_add(n, broadcast(2.12194440e-4F), r);
  Vector p = broadcast(1.9875691500e-4F);
  p = multiply_add(p, r, broadcast(1.3981999507e-3F));
  p = multiply_add(p, r, broadcast(8.3334519073e-3F));
  p = multiply_add(p, r, broadcast(4.1665795894e-2F));
  p = multiply_add(p, r, broadcast(1.6666665459e-1F));
  p = multiply_add(p, r, broadcast(5.0000001201e-1F));
  const Vector y = add(multiply_add(p, mul(r, r), r), broadcast(1.0F));
  return select(equal(x, x), scale(y, n), x);
}

/// Natural logarithm, within 2 ulp; -infinity at 0, NaN below.
inline Vector logarithm(Vector x) {
  constexpr float kInfinity = __builtin_inff();
  const Mask tiny = less(x, broadcast(1.17549435e-38F));  // below the normal range
  const Vector normal = select(tiny, mul(x, broadcast(8388608.0F)), x);
  Vector e = select(tiny, sub(exponent(normal), broadcast(23.0F)), exponent(normal));
  Vector m = significand(normal);
  const Mask upper = less(broadcast(1.41421356F), m);  // to [sqrt(1/2), sqrt(2)]
  m = select(upper, mul(m, broadcast(0.5F)), m);
  e = select(upper, add(e, broadcast(1.0F)), e);
  const Vector f = sub(m, broadcast(1.0F));
  const Vector z = mul(f, f);
  Vector p = broadcast(7.0376836292e-2F);
  p = multiply_add(p, f, broadcast(-1.1514610310e-1F));
  p = multiply_add(p, f, broadcast(1.1676998740e-1F));
  p = multiply_add(p, f, broadcast(-1.2420140846e-1F));
  p = multiply_add(p, f, broadcast(1.4249322787e-1F));
  p = multiply_add(p, f, broadcast(-1.6668057665e-1F));
  p = multiply_add(p, f, broadcast(2.0000714765e-1F));
  p = multiply_add(p, f, broadcast(-2.4999993993e-1F));
  p = multiply_add(p, f, broadcast(3.3333331174e-1F));
  Vector y = mul(mul(p, f), z);
  y = multiply_add(e, broadcast(-2.12194440e-4F), y);
  y = multiply_add(z, broadcast(-0.5F), y);
  y = multiply_add(e, broadcast(0.693359375F), add(f, y));
  y = select(less(x, zero()), broadcast(__builtin_nanf("")), y);
  y = select(equal(x, zero()), broadcast(-kInfinity), y);
  return select(less(x, broadcast(kInfinity)), y, x);  // infinity and NaN are their own logarithms
}

/// log(1 + x) for x in [0, 1], within 3 ulp.
inline Vector logarithm_of_one_plus(Vector x) {
  const Vector u = add(x, broadcast(1.0F));
  const Vector lost = sub(x, sub(u, broadcast(1.0F)));  // the part of u that rounding took
  return add(logarithm(u), div(lost, u));
}

/// 1 / (1 + e^-x), within 4 ulp.
inline Vector sigmoid(Vector x) {
  const Vector e = exponential(sub(zero(), absolute(x)));
  return div(select(less(x, zero()), e, broadcast(1.0F)), add(e, broadcast(1.0F)));
}

/// Within 4 ulp.
inline Vector hyperbolic_tangent(Vector x) {
  const Vector size = absolute(x);
  const Vector z = mul(x, x);
  Vector p = broadcast(-5.70498872745e-3F);
  p = multiply_add(p, z, broadcast(2.06390887954e-2F));
  p = multiply_add(p, z, broadcast(-5.37397155531e-2F));
  p = multiply_add(p, z, broadcast(1.33314422036e-1F));
  p = multiply_add(p, z, broadcast(-3.33332819422e-1F));
  const Vector small = multiply_add(mul(p, z), x, x);
  const Vector e = exponential(add(size, size));
  const Vector large = sub(broadcast(1.0F), div(broadcast(2.0F), add(e, broadcast(1.0F))));
  return select(less(size, broadcast(0.625F)), small, with_sign(large, x));
}

inline Vector rectify(Vector x) { return maximum(zero(), x); }  // the second operand where one is NaN

/// One activation; the choice is made outside of loops.
template <Activation activation>
inline Vector activated(Vector x) {
  if constexpr (activation == Activation::relu) return rectify(x);
  if constexpr (activation == Activation::sigmoid) return sigmoid(x);
  if constexpr (activation == Activation::tanh) return hyperbolic_tangent(x);
  return x;
}

/// dy times the derivative where the activation's output is y.
template <Activation activation>
inline Vector through_derivative(Vector dy, Vector y) {
  if constexpr (activation == Activation::relu) return select(less_equal(y, zero()), zero(), dy);
  if constexpr (activation == Activation::sigmoid) return mul(dy, mul(y, sub(broadcast(1.0F), y)));
  if constexpr (activation == Activation::tanh) return mul(dy, sub(broadcast(1.0F), mul(y, y)));
  return dy;
}

}  // namespace
}  // namespace regatta::engine::cpu
