// Activations and their derivatives for one value, in double.
#pragma once

#include <cmath>

#include "regatta/engine/ops.hpp"

namespace regatta::engine::reference {

inline double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return x <= 0 ? 0 : x;  // NaN stays
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::none:
    case Activation::softmax:
      break;
  }
  return x;
}

/// Derivative of the activation where its output is `y`.
inline double derivative(Activation activation, double y) {
  switch (activation) {
    case Activation::relu:
      return y <= 0 ? 0 : 1;
    case Activation::sigmoid:
      return y * (1 - y);
    case Activation::tanh:
      return 1 - y * y;
    case Activation::none:
    case Activation::softmax:
      break;
  }
  return 1;
}

}  // namespace regatta::engine::reference
