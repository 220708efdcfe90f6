// Activations and their derivatives over arrays, for whichever vector header was included first.
#pragma once

#include "engine/cpu/vectors/vector_math.hpp"

namespace regatta::engine::cpu {
namespace {

template <Activation activation>
inline void activate_all(float* x, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) store(x + i, activated<activation>(load(x + i)));
  if (i < count) store_first(x + i, count - i, activated<activation>(load_first(x + i, count - i)));
}

void activate(Activation activation, float* x, std::int64_t count) {
  switch (activation) {
    case Activation::relu:
      return activate_all<Activation::relu>(x, count);
    case Activation::sigmoid:
      return activate_all<Activation::sigmoid>(x, count);
    case Activation::tanh:
      return activate_all<Activation::tanh>(x, count);
    case Activation::none:
    case Activation::softmax:
      return;
  }
}

template <Activation activation>
inline void derive_all(float* dy, const float* y, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    store(dy + i, through_derivative<activation>(load(dy + i), load(y + i)));
  }
  if (i == count) return;
  const Vector rest = through_derivative<activation>(load_first(dy + i, count - i), load_first(y + i, count - i));
  store_first(dy + i, count - i, rest);
}

void activate_gradient(Activation activation, float* dy, const float* y, std::int64_t count) {
  switch (activation) {
    case Activation::relu:
      return derive_all<Activation::relu>(dy, y, count);
    case Activation::sigmoid:
      return derive_all<Activation::sigmoid>(dy, y, count);
    case Activation::tanh:
      return derive_all<Activation::tanh>(dy, y, count);
    case Activation::none:
    case Activation::softmax:
      return;
  }
}

}  // namespace
}  // namespace regatta::engine::cpu
