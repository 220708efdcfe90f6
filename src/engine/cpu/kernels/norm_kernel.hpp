// Normalization over the batch and over a row, for whichever vector header was included first. Sums over rows are
// four chains (row modulo 4), so that they hide the latency of an addition; sums over a row are those of lanes.
#pragma once

#include "engine/cpu/kernels/layer_kernels.hpp"
#include "engine/cpu/vectors/lane_sums.hpp"

namespace regatta::engine::cpu {
namespace {

/// Sum of value(row) over the rows.
template <class Value>
inline Vector sum_over_rows(std::int64_t rows, const Value& value) {
  Vector s0 = zero(), s1 = zero(), s2 = zero(), s3 = zero();
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    s0 = add(s0, value(row));
    s1 = add(s1, value(row + 1));
    s2 = add(s2, value(row + 2));
    s3 = add(s3, value(row + 3));
  }
  for (; row < rows; ++row) s0 = add(s0, value(row));
  return add(add(s0, s1), add(s2, s3));
}

inline Vector scale_of(Vector variance, float epsilon) {
  return div(broadcast(1.0F), square_root(add(variance, broadcast(epsilon))));
}

inline Vector normalized(Vector x, Vector mean, Vector scale) { return mul(sub(x, mean), scale); }

inline Vector moved(Vector moving, Vector batch, float share) {
  return add(mul(broadcast(1.0F - share), moving), mul(broadcast(share), batch));
}

template <class Access>
inline Vector sum_of_squares(const NormView& view, std::int64_t j, const Access& access, Vector mean) {
  return sum_over_rows(view.rows, [&](std::int64_t row) {
    const Vector away = sub(access.get(view.x + row * view.columns + j), mean);
    return mul(away, away);
  });
}

/// Moments of the columns, where they are not given.
template <class Access>
inline void take_moments(const NormView& view, std::int64_t j, const Access& access) {
  const Vector share = broadcast(1.0F / static_cast<float>(view.rows));
  const auto x = [&](std::int64_t row) { return access.get(view.x + row * view.columns + j); };
  Vector mean = zero();
  Vector variance = broadcast(1.0F);
  const bool moves = view.moving_mean != nullptr;
  if (view.fixed_moments && moves) {
    mean = access.get(view.moving_mean + j);
    variance = access.get(view.moving_variance + j);
  }
  if (!view.fixed_moments) {
    mean = mul(sum_over_rows(view.rows, x), share);
    variance = mul(sum_of_squares(view, j, access, mean), share);
  }
  if (!view.fixed_moments && moves) {
    const auto move = [&](float* moving, Vector batch) {
      access.put(moving, moved(access.get(moving), batch, view.moving_share));
    };
    move(view.moving_mean + j, mean);
    move(view.moving_variance + j, variance);
  }
  access.put(view.mean + j, mean);
  access.put(view.scale + j, scale_of(variance, view.epsilon));
}

template <class Access>
inline void batch_norm_columns(const NormView& view, std::int64_t j, const Access& access) {
  if (!view.given_moments) take_moments(view, j, access);
  const auto x = [&](std::int64_t row) { return access.get(view.x + row * view.columns + j); };
  const Vector mean = access.get(view.mean + j);
  const Vector scale = access.get(view.scale + j);
  const Vector gamma = access.get(view.gamma + j);
  const Vector beta = access.get(view.beta + j);
  for (std::int64_t row = 0; row < view.rows; ++row) {
    access.put(view.y + row * view.columns + j, add(mul(normalized(x(row), mean, scale), gamma), beta));
  }
}

/// The means of dy, and of dy xhat, where xhat is x normalized.
struct GradientMeans {
  Vector shift, slope;
};

/// dx = gamma scale (dy - mean(dy) - xhat mean(dy xhat)).
template <class Access>
inline void input_gradient_columns(const NormView& view, std::int64_t j, const Access& access,
                                   const GradientMeans& means) {
  const Vector mean = access.get(view.mean + j);
  const Vector scale = access.get(view.scale + j);
  const Vector factor = mul(access.get(view.gamma + j), scale);
  for (std::int64_t at = j; at < view.rows * view.columns; at += view.columns) {
    const Vector xhat = normalized(access.get(view.x + at), mean, scale);
    const Vector rest = sub(sub(access.get(view.dy + at), means.shift), mul(xhat, means.slope));
    access.put(view.dx + at, mul(factor, rest));
  }
}

template <class Access>
inline void batch_norm_gradient_columns(const NormView& view, std::int64_t j, const Access& access) {
  const Vector mean = access.get(view.mean + j);
  const Vector scale = access.get(view.scale + j);
  const auto dy = [&](std::int64_t row) { return access.get(view.dy + row * view.columns + j); };
  const auto xhat = [&](std::int64_t row) {
    return normalized(access.get(view.x + row * view.columns + j), mean, scale);
  };
  const Vector dbeta = sum_over_rows(view.rows, dy);
  const Vector dgamma = sum_over_rows(view.rows, [&](std::int64_t row) { return mul(dy(row), xhat(row)); });
  access.put(view.dbeta + j, dbeta);
  access.put(view.dgamma + j, dgamma);
  if (view.dx == nullptr) return;
  const Vector share = broadcast(1.0F / static_cast<float>(view.rows));
  input_gradient_columns(view, j, access, {mul(dbeta, share), mul(dgamma, share)});
}

void batch_norm(const NormView& view) {
  for_columns(view.end - view.begin,
              [&](std::int64_t i, const auto& access) { batch_norm_columns(view, view.begin + i, access); });
}

void batch_norm_gradient(const NormView& view) {
  for_columns(view.end - view.begin,
              [&](std::int64_t i, const auto& access) { batch_norm_gradient_columns(view, view.begin + i, access); });
}

void batch_norm_input_gradient(const NormView& view) {
  for_columns(view.end - view.begin, [&](std::int64_t i, const auto& access) {
    const std::int64_t j = view.begin + i;
    input_gradient_columns(view, j, access, {access.get(view.dbeta + j), access.get(view.dgamma + j)});
  });
}

void batch_sums(const NormView& view) {
  for_columns(view.end - view.begin, [&](std::int64_t i, const auto& access) {
    const std::int64_t j = view.begin + i;
    const auto x = [&](std::int64_t row) { return access.get(view.x + row * view.columns + j); };
    access.put(view.sums + j, sum_over_rows(view.rows, x));
  });
}

void batch_squares(const NormView& view) {
  for_columns(view.end - view.begin, [&](std::int64_t i, const auto& access) {
    const std::int64_t j = view.begin + i;
    access.put(view.sums + j, sum_of_squares(view, j, access, access.get(view.mean + j)));
  });
}

inline float first_lane(Vector v) {
  float lanes[kWidth];
  store(lanes, v);
  return lanes[0];
}

void layer_norm(const NormView& view) {
  const float share = 1.0F / static_cast<float>(view.columns);
  for (std::int64_t row = view.begin; row < view.end; ++row) {
    const float* const x = view.x + row * view.columns;
    float* const y = view.y + row * view.columns;
    const float mean =
        share * sum_over(view.columns, [&](std::int64_t i, const auto& access) { return access.get(x + i); });
    const Vector middle = broadcast(mean);
    const float variance = share * sum_over(view.columns, [&](std::int64_t i, const auto& access) {
                             const Vector away = sub(access.get(x + i), middle);
                             return mul(away, away);
                           });
    const Vector scale = scale_of(broadcast(variance), kNormalizationEpsilon);
    view.mean[row] = mean;
    view.scale[row] = first_lane(scale);
    for_columns(view.columns, [&](std::int64_t i, const auto& access) {
      const Vector xhat = normalized(access.get(x + i), middle, scale);
      access.put(y + i, add(mul(xhat, access.get(view.gamma + i)), access.get(view.beta + i)));
    });
  }
}

/// dx = scale (g - mean(g) - xhat mean(g xhat)) with g = dy gamma.
void layer_norm_gradient(const NormView& view) {
  const float share = 1.0F / static_cast<float>(view.columns);
  for (std::int64_t row = view.begin; row < view.end; ++row) {
    const std::int64_t at = row * view.columns;
    const Vector mean = broadcast(view.mean[row]);
    const Vector scale = broadcast(view.scale[row]);
    const auto g = [&](std::int64_t i, const auto& access) {
      return mul(access.get(view.dy + at + i), access.get(view.gamma + i));
    };
    const auto xhat = [&](std::int64_t i, const auto& access) {
      return normalized(access.get(view.x + at + i), mean, scale);
    };
    const Vector shift = broadcast(share * sum_over(view.columns, g));
    const Vector slope = broadcast(share * sum_over(view.columns, [&](std::int64_t i, const auto& access) {
                                     return mul(g(i, access), xhat(i, access));
                                   }));
    for_columns(view.columns, [&](std::int64_t i, const auto& access) {
      const Vector rest = sub(sub(g(i, access), shift), mul(xhat(i, access), slope));
      access.put(view.dx + at + i, mul(scale, rest));
    });
  }
}

void layer_norm_parameters(const NormView& view) {
  for_columns(view.end - view.begin, [&](std::int64_t i, const auto& access) {
    const std::int64_t j = view.begin + i;
    const auto dy = [&](std::int64_t row) { return access.get(view.dy + row * view.columns + j); };
    const auto product = [&](std::int64_t row) {
      const Vector x = access.get(view.x + row * view.columns + j);
      return mul(dy(row), normalized(x, broadcast(view.mean[row]), broadcast(view.scale[row])));
    };
    access.put(view.dbeta + j, sum_over_rows(view.rows, dy));
    access.put(view.dgamma + j, sum_over_rows(view.rows, product));
  });
}

void add_to(float* x, const float* y, std::int64_t count) {
  combine(x, y, x, count, [](Vector a, Vector b) { return add(a, b); });
}

}  // namespace
}  // namespace regatta::engine::cpu
