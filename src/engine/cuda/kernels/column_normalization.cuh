// Normalization by columns over the batch, and the gradients of gamma and beta. Variances are means of squared
// distances from the mean, found after it.
#pragma once

#include "engine/cuda/kernels/column_sums.cuh"
#include "engine/cuda/kernels/scalars.cuh"

namespace regatta::engine::cuda {

/// First step: the means of all columns.
struct ColumnMeans {
  static constexpr int kSums = 1;
  const float* x;
  float* means;
  std::int64_t rows, columns;

  template <int kCount>
  __device__ int prepare(std::int64_t /*group*/, std::int64_t /*column*/) const {
    return 0;
  }

  template <int kCount>
  __device__ void add(int /*prepared*/, std::int64_t /*group*/, std::int64_t row, std::int64_t column,
                      Sums<1, kCount>& to) const {
    const Pack<kCount> pack = load<kCount>(x + row * columns + column);
    for (int i = 0; i < kCount; ++i) to.of[0].at[i] += pack.at[i];
  }

  template <int kCount>
  __device__ void finish(std::int64_t /*group*/, std::int64_t column, const Sums<1, kCount>& found) const {
    Pack<kCount> pack;
    for (int i = 0; i < kCount; ++i) pack.at[i] = found.of[0].at[i] / static_cast<float>(rows);
    store(means + column, pack);
  }
};

/// moving = (1 - share) * moving + share * batch's.
template <int kCount>
__device__ void move(float* moving, const Pack<kCount>& batch, float share) {
  Pack<kCount> pack = load<kCount>(moving);
  for (int i = 0; i < kCount; ++i) pack.at[i] = (1.0F - share) * pack.at[i] + share * batch.at[i];
  store(moving, pack);
}

/// Second step: the scales of all columns, and the moving moments where they are kept.
struct ColumnScales {
  static constexpr int kSums = 1;
  const float *x, *means;
  float *scales, *moving;  ///< moving moments(2, columns), or null
  const StepState* state;
  float epsilon, smallest_share;
  std::int64_t rows, columns;

  template <int kCount>
  __device__ Pack<kCount> prepare(std::int64_t /*group*/, std::int64_t column) const {
    return load<kCount>(means + column);
  }

  template <int kCount>
  __device__ void add(const Pack<kCount>& mean, std::int64_t /*group*/, std::int64_t row, std::int64_t column,
                      Sums<1, kCount>& to) const {
    const Pack<kCount> pack = load<kCount>(x + row * columns + column);
    for (int i = 0; i < kCount; ++i) {
      const float away = pack.at[i] - mean.at[i];
      to.of[0].at[i] += away * away;
    }
  }

  template <int kCount>
  __device__ void finish(std::int64_t /*group*/, std::int64_t column, const Sums<1, kCount>& found) const {
    Pack<kCount> variance, scale;
    for (int i = 0; i < kCount; ++i) {
      variance.at[i] = found.of[0].at[i] / static_cast<float>(rows);
      scale.at[i] = scale_of(variance.at[i], epsilon);
    }
    store(scales + column, scale);
    if (moving == nullptr) return;
    const float share = moving_share(smallest_share, state->step);
    move(moving + column, load<kCount>(means + column), share);
    move(moving + columns + column, variance, share);
  }
};

/// A column's, or four.
template <int kCount>
struct Normalizing {
  Pack<kCount> mean, scale, gamma, beta;
};

/// Third step: y. With `fixed` the moments are those that move, or 0 and 1, and are written first.
struct NormalizeColumns {
  const float *x, *gamma, *beta, *moving;
  float *y, *moments;
  std::int64_t columns;
  float epsilon;
  bool fixed;

  template <int kCount>
  __device__ Normalizing<kCount> prepare(std::int64_t /*group*/, std::int64_t column) const {
    Normalizing<kCount> by{filled<kCount>(0.0F), filled<kCount>(1.0F), load<kCount>(gamma + column),
                           load<kCount>(beta + column)};
    if (!fixed) {
      by.mean = load<kCount>(moments + column);
      by.scale = load<kCount>(moments + columns + column);
      return by;
    }
    if (moving != nullptr) {
      by.mean = load<kCount>(moving + column);
      by.scale = load<kCount>(moving + columns + column);
    }
    for (int i = 0; i < kCount; ++i) by.scale.at[i] = scale_of(by.scale.at[i], epsilon);
    return by;
  }

  template <int kCount>
  __device__ void run(const Normalizing<kCount>& by, std::int64_t /*group*/, std::int64_t row,
                      std::int64_t column) const {
    Pack<kCount> pack = load<kCount>(x + row * columns + column);
    for (int i = 0; i < kCount; ++i) {
      const float xhat = (pack.at[i] - by.mean.at[i]) * by.scale.at[i];
      pack.at[i] = xhat * by.gamma.at[i] + by.beta.at[i];
    }
    store(y + row * columns + column, pack);
    if (!fixed || row != 0) return;
    store(moments + column, by.mean);
    store(moments + columns + column, by.scale);
  }
};

/// Gradients of gamma and beta, where moments belong to columns or, with `by_row`, to rows.
struct ParameterGradients {
  static constexpr int kSums = 2;
  const float *dy, *x, *means, *scales;
  float *dgamma, *dbeta;
  std::int64_t columns;
  bool by_row;

  template <int kCount>
  __device__ Normalizing<kCount> prepare(std::int64_t /*group*/, std::int64_t column) const {
    Normalizing<kCount> by = {};
    if (by_row) return by;
    by.mean = load<kCount>(means + column);
    by.scale = load<kCount>(scales + column);
    return by;
  }

  template <int kCount>
  __device__ void add(const Normalizing<kCount>& by, std::int64_t /*group*/, std::int64_t row, std::int64_t column,
                      Sums<2, kCount>& to) const {
    const Pack<kCount> gradient = load<kCount>(dy + row * columns + column);
    const Pack<kCount> pack = load<kCount>(x + row * columns + column);
    const Pack<kCount> mean = by_row ? filled<kCount>(means[row]) : by.mean;
    const Pack<kCount> scale = by_row ? filled<kCount>(scales[row]) : by.scale;
    for (int i = 0; i < kCount; ++i) {
      to.of[0].at[i] += gradient.at[i] * ((pack.at[i] - mean.at[i]) * scale.at[i]);
      to.of[1].at[i] += gradient.at[i];
    }
  }

  template <int kCount>
  __device__ void finish(std::int64_t /*group*/, std::int64_t column, const Sums<2, kCount>& found) const {
    store(dgamma + column, found.of[0]);
    store(dbeta + column, found.of[1]);
  }
};

/// A column's, or four.
template <int kCount>
struct InputGradient {
  Pack<kCount> mean, scale, gamma, shift, slope;
};

/// dx = scale (g - mean(g) - xhat mean(g xhat)) with g = dy gamma, after ParameterGradients, whose sums those means
/// are made of.
struct ColumnInputGradients {
  const float *dy, *x, *gamma, *moments, *dgamma, *dbeta;
  float* dx;
  std::int64_t rows, columns;

  template <int kCount>
  __device__ InputGradient<kCount> prepare(std::int64_t /*group*/, std::int64_t column) const {
    InputGradient<kCount> by{load<kCount>(moments + column), load<kCount>(moments + columns + column),
                             load<kCount>(gamma + column), load<kCount>(dbeta + column), load<kCount>(dgamma + column)};
    for (int i = 0; i < kCount; ++i) {
      by.shift.at[i] = by.gamma.at[i] * by.shift.at[i] / static_cast<float>(rows);
      by.slope.at[i] = by.gamma.at[i] * by.slope.at[i] / static_cast<float>(rows);
    }
    return by;
  }

  template <int kCount>
  __device__ void run(const InputGradient<kCount>& by, std::int64_t /*group*/, std::int64_t row,
                      std::int64_t column) const {
    const Pack<kCount> gradient = load<kCount>(dy + row * columns + column);
    Pack<kCount> pack = load<kCount>(x + row * columns + column);
    for (int i = 0; i < kCount; ++i) {
      const float xhat = (pack.at[i] - by.mean.at[i]) * by.scale.at[i];
      pack.at[i] = by.scale.at[i] * (gradient.at[i] * by.gamma.at[i] - by.shift.at[i] - xhat * by.slope.at[i]);
    }
    store(dx + row * columns + column, pack);
  }
};

}  // namespace regatta::engine::cuda
