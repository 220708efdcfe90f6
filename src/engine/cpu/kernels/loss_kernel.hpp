// Losses by rows, for whichever vector header was included first.
#pragma once

#include "engine/cpu/vectors/lane_sums.hpp"

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
    Lanes total = no_terms();
    for_lanes(columns, [&](int part, std::int64_t i, const auto& access) {
      const Vector apart = sub(access.get(p + i), access.get(t + i));
      total.parts[part] = multiply_add(apart, apart, total.parts[part]);
    });
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
    const float total = sum_over(columns, [&](std::int64_t i, const auto& access) {
      return binary_entropy(access.get(z + i), access.get(y + i));
    });
    losses[row] = total / static_cast<float>(columns);
  }
}

/// Softmax of short rows, one row in each lane: no sum across lanes, and one logarithm for kWidth rows.
constexpr std::int64_t kShortRow = 64;

struct LaneSums {
  Vector top;    ///< the largest value of each row
  Vector total;  ///< the sum of e^(z - top) over each row
};

/// Probabilities of up to kWidth rows; z and probabilities may be the same. Lanes without a row hold zeros.
inline LaneSums short_rows(const float* z, float* probabilities, std::int64_t rows, std::int64_t columns) {
  float lanes[kShortRow * kWidth];  // [column][row]
  store(lanes, zero());
  for (std::int64_t j = 1; j < columns; ++j) store(lanes + j * kWidth, zero());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < columns; ++j) lanes[j * kWidth + row] = z[row * columns + j];
  }
  Vector top = load(lanes);
  for (std::int64_t j = 1; j < columns; ++j) top = maximum(load(lanes + j * kWidth), top);
  Vector total = zero();
  for (std::int64_t j = 0; j < columns; ++j) {
    const Vector e = exponential(sub(load(lanes + j * kWidth), top));
    store(lanes + j * kWidth, e);
    total = add(total, e);
  }
  for (std::int64_t j = 0; j < columns; ++j) store(lanes + j * kWidth, div(load(lanes + j * kWidth), total));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < columns; ++j) probabilities[row * columns + j] = lanes[j * kWidth + row];
  }
  return {top, total};
}

struct RowSum {
  float top;    ///< the largest value of the row
  float total;  ///< sum of e^(z - top)
};

/// Probabilities of one row of any length; z and probabilities may be the same.
inline RowSum long_row(const float* z, float* probabilities, std::int64_t columns) {
  float top = z[0];
  std::int64_t i = 0;
  for (; i + kWidth <= columns; i += kWidth) {
    const float other = largest(load(z + i));
    top = top < other ? other : top;
  }
  for (; i < columns; ++i) top = top < z[i] ? z[i] : top;
  const float total = sum_over(columns, [&](std::int64_t at, const auto& access) {
    const Vector e = exponential(sub(access.get(z + at), broadcast(top)));
    access.put(probabilities + at, e);
    return e;
  });
  combine(probabilities, probabilities, probabilities, columns,
          [total](Vector e, Vector) { return div(e, broadcast(total)); });
  return {top, total};
}

void softmax(float* x, std::int64_t rows, std::int64_t columns) {
  const std::int64_t together = columns <= kShortRow ? kWidth : 1;
  for (std::int64_t row = 0; row < rows; row += together) {
    float* const at = x + row * columns;
    if (columns <= kShortRow) {
      short_rows(at, at, rows - row < kWidth ? rows - row : kWidth, columns);
    } else {
      long_row(at, at, columns);
    }
  }
}

/// log(sum e^z) - z[class], from logits z.
void categorical_entropies(const float* logits, const std::int32_t* classes, std::int64_t rows, std::int64_t columns,
                           float* probabilities, float* losses) {
  const std::int64_t together = columns <= kShortRow ? kWidth : 1;
  for (std::int64_t row = 0; row < rows; row += together) {
    const float* const z = logits + row * columns;
    if (columns > kShortRow) {
      const RowSum sums = long_row(z, probabilities + row * columns, columns);
      losses[row] = scalar_logarithm(sums.total) + (sums.top - z[classes[row]]);
      continue;
    }
    const std::int64_t count = rows - row < kWidth ? rows - row : kWidth;
    const LaneSums sums = short_rows(z, probabilities + row * columns, count, columns);
    float of_class[kWidth] = {};
    for (std::int64_t i = 0; i < count; ++i) of_class[i] = z[i * columns + classes[row + i]];
    store_first(losses + row, count, add(logarithm(sums.total), sub(sums.top, load(of_class))));
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
