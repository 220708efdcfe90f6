// Losses by rows, for whichever vector header was included first.
#pragma once

#include "engine/cpu/elementwise_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

inline float scalar_logarithm(float x) {
  float lanes[kWidth];
  store(lanes, logarithm(broadcast(x)));
  return lanes[0];
}

void squared_errors(const float* prediction, const float* target, std::int64_t rows, std::int64_t columns,
                    float* losses) {
  if (columns == 1) {
    combine(prediction, target, losses, rows, [](Vector a, Vector b) { return mul(sub(a, b), sub(a, b)); });
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const p = prediction + row * columns;
    const float* const t = target + row * columns;
    Vector total = zero();
    const auto take = [&total](Vector a, Vector b) { total = multiply_add(sub(a, b), sub(a, b), total); };
    for_vectors(
        columns, [&](std::int64_t i) { take(load(p + i), load(t + i)); },
        [&](std::int64_t i, std::int64_t n) { take(load_first(p + i, n), load_first(t + i, n)); });
    losses[row] = sum(total) / static_cast<float>(columns);
  }
}

/// max(z, 0) - z y + log(1 + e^-|z|), from logits z.
inline Vector binary_entropy(Vector z, Vector y) {
  const Vector tail = logarithm_of_one_plus(exponential(sub(zero(), absolute(z))));
  return add(sub(rectify(z), mul(z, y)), tail);
}

void binary_entropies(const float* logits, const float* target, std::int64_t rows, std::int64_t columns,
                      float* probabilities, float* losses) {
  combine(logits, logits, probabilities, rows * columns, [](Vector z, Vector) { return sigmoid(z); });
  if (columns == 1) {
    combine(logits, target, losses, rows, [](Vector z, Vector y) { return binary_entropy(z, y); });
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const z = logits + row * columns;
    const float* const y = target + row * columns;
    float total = 0;
    for (std::int64_t i = 0; i < columns; i += kWidth) {
      const std::int64_t n = columns - i < kWidth ? columns - i : kWidth;
      float lanes[kWidth] = {};
      store_first(lanes, n, binary_entropy(load_first(z + i, n), load_first(y + i, n)));
      total += sum(load(lanes));
    }
    losses[row] = total / static_cast<float>(columns);
  }
}

struct RowSum {
  float top;  ///< the largest value of the row, or NaN
  float sum;  ///< of e^(z - top)
};

/// y = e^(z - largest) over one row; z and y may be the same.
inline RowSum shifted_exponentials(const float* z, float* y, std::int64_t columns) {
  float top = -__builtin_inff();
  for_vectors(
      columns,
      [&](std::int64_t i) {
        const float other = largest(load(z + i));
        top = top < other ? other : top;
      },
      [&](std::int64_t i, std::int64_t n) {
        for (std::int64_t j = i; j < i + n; ++j) top = top < z[j] ? z[j] : top;
      });
  Vector total = zero();
  for_vectors(
      columns,
      [&](std::int64_t i) {
        const Vector e = exponential(sub(load(z + i), broadcast(top)));
        store(y + i, e);
        total = add(total, e);
      },
      [&](std::int64_t i, std::int64_t n) {
        float lanes[kWidth] = {};
        store_first(lanes, n, exponential(sub(load_first(z + i, n), broadcast(top))));
        store_first(y + i, n, load(lanes));
        total = add(total, load(lanes));
      });
  return {top, sum(total)};
}

inline void divide_row(float* y, std::int64_t columns, float divisor) {
  combine(y, y, y, columns, [divisor](Vector v, Vector) { return div(v, broadcast(divisor)); });
}

void softmax(float* x, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    divide_row(x + row * columns, columns, shifted_exponentials(x + row * columns, x + row * columns, columns).sum);
  }
}

/// log(sum e^z) - z[class], from logits z.
void categorical_entropies(const float* logits, const std::int32_t* classes, std::int64_t rows, std::int64_t columns,
                           float* probabilities, float* losses) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const z = logits + row * columns;
    const RowSum result = shifted_exponentials(z, probabilities + row * columns, columns);
    divide_row(probabilities + row * columns, columns, result.sum);
    losses[row] = scalar_logarithm(result.sum) + (result.top - z[classes[row]]);
  }
}

void categorical_gradient(const float* probabilities, const std::int32_t* classes, std::int64_t rows,
                          std::int64_t columns, float factor, float* gradient) {
  combine(probabilities, probabilities, gradient, rows * columns,
          [factor](Vector p, Vector) { return mul(broadcast(factor), p); });
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t i = row * columns + classes[row];
    gradient[i] = factor * (probabilities[i] - 1.0F);
  }
}

}  // namespace
}  // namespace regatta::engine::cpu
