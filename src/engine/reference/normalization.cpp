// Normalization over the batch and over a row, embedding, and addition.
#include <algorithm>
#include <cmath>

#include "engine/reference/kernels.hpp"

namespace regatta::engine::reference {

namespace {

const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }
std::int64_t index_at(const Memory& memory, std::int64_t row) {
  return static_cast<const std::int32_t*>(memory[0])[row];
}

/// The elements that share a mean and a scale: x[first + i * stride], i in [0, count).
struct Group {
  std::int64_t first, stride, count;
};

/// By columns over the batch, or by rows.
Group column_of(std::int64_t rows, std::int64_t columns, std::int64_t column) { return {column, columns, rows}; }
Group row_of(std::int64_t columns, std::int64_t row) { return {row * columns, 1, columns}; }

struct Moments {
  double mean = 0, scale = 0;
};

double scale_of(double variance, double epsilon) { return 1 / std::sqrt(variance + epsilon); }

struct Spread {
  double mean = 0, variance = 1;
};

Spread spread_of(const float* x, const Group& group) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < group.count; ++i) sum += x[group.first + i * group.stride];
  const double mean = sum / static_cast<double>(group.count);
  for (std::int64_t i = 0; i < group.count; ++i) {
    const double away = x[group.first + i * group.stride] - mean;
    squares += away * away;
  }
  return {mean, squares / static_cast<double>(group.count)};
}

Moments moments_of(const float* x, const Group& group) {
  const Spread spread = spread_of(x, group);
  return {spread.mean, scale_of(spread.variance, kNormalizationEpsilon)};
}

void move(float& moving, double batch, double share) {
  moving = static_cast<float>((1 - share) * moving + share * batch);
}

/// The moments that normalize a column of the operation; moving moments are updated where they are kept.
Spread spread_of(const BatchNorm& op, const Memory& memory, std::int64_t column) {
  if (op.fixed_moments && !op.moving_moments) return {};
  if (op.fixed_moments) return {in(memory, 5)[column], in(memory, 5)[op.columns + column]};
  const Spread spread = spread_of(in(memory, 0), column_of(op.rows, op.columns, column));
  if (!op.moves()) return spread;
  const float share = moving_share(op.smallest_share, static_cast<const StepState*>(memory[6])->step);
  move(out(memory, 5)[column], spread.mean, share);
  move(out(memory, 5)[op.columns + column], spread.variance, share);
  return spread;
}

void normalize(const Memory& memory, const Group& group, std::int64_t columns, const Moments& moments) {
  for (std::int64_t i = 0; i < group.count; ++i) {
    const std::int64_t at = group.first + i * group.stride;
    const double xhat = (in(memory, 0)[at] - moments.mean) * moments.scale;
    out(memory, 1)[at] = static_cast<float>(xhat * in(memory, 2)[at % columns] + in(memory, 3)[at % columns]);
  }
}

double normalized(const Memory& memory, std::int64_t at, const Moments& moments) {
  return (in(memory, 1)[at] - moments.mean) * moments.scale;
}

/// dx of a group: scale (g - mean(g) - xhat mean(g xhat)), where g = dy gamma.
void input_gradient(const Memory& memory, const Group& group, std::int64_t columns, const Moments& moments) {
  const auto g = [&](std::int64_t at) { return static_cast<double>(in(memory, 0)[at]) * in(memory, 3)[at % columns]; };
  double shift = 0, slope = 0;
  for (std::int64_t i = 0; i < group.count; ++i) {
    const std::int64_t at = group.first + i * group.stride;
    shift += g(at) / static_cast<double>(group.count);
    slope += g(at) * normalized(memory, at, moments) / static_cast<double>(group.count);
  }
  for (std::int64_t i = 0; i < group.count; ++i) {
    const std::int64_t at = group.first + i * group.stride;
    const double dx = moments.scale * (g(at) - shift - normalized(memory, at, moments) * slope);
    out(memory, 2)[at] = static_cast<float>(dx);
  }
}

/// Gradients of gamma and beta; `group_at(row, column)` is where the element's mean and scale stand.
template <class GroupAt>
void parameter_gradients(const Memory& memory, std::int64_t rows, std::int64_t columns, std::int64_t groups,
                         const GroupAt& group_at) {
  for (std::int64_t column = 0; column < columns; ++column) {
    double dgamma = 0, dbeta = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = row * columns + column;
      const std::int64_t group = group_at(row, column);
      const Moments moments{in(memory, 4)[group], in(memory, 4)[groups + group]};
      dgamma += in(memory, 0)[at] * normalized(memory, at, moments);
      dbeta += in(memory, 0)[at];
    }
    out(memory, 5)[column] = static_cast<float>(dgamma);
    out(memory, 6)[column] = static_cast<float>(dbeta);
  }
}

void keep(const Memory& memory, std::int64_t group, std::int64_t groups, const Moments& moments) {
  out(memory, 4)[group] = static_cast<float>(moments.mean);
  out(memory, 4)[groups + group] = static_cast<float>(moments.scale);
}

Moments kept(const Memory& memory, std::int64_t group, std::int64_t groups) {
  return {in(memory, 4)[group], in(memory, 4)[groups + group]};
}

}  // namespace

void run(const BatchNorm& op, const Memory& memory) {
  for (std::int64_t column = 0; column < op.columns; ++column) {
    const Group group = column_of(op.rows, op.columns, column);
    if (op.given_moments) {
      normalize(memory, group, op.columns, kept(memory, column, op.columns));
      continue;
    }
    const Spread spread = spread_of(op, memory, column);
    const Moments moments{spread.mean, scale_of(spread.variance, op.epsilon)};
    keep(memory, column, op.columns, moments);
    normalize(memory, group, op.columns, moments);
  }
}

void run(const BatchNormGradient& op, const Memory& memory) {
  for (std::int64_t column = 0; op.input_gradient && column < op.columns; ++column) {
    input_gradient(memory, column_of(op.rows, op.columns, column), op.columns, kept(memory, column, op.columns));
  }
  parameter_gradients(memory, op.rows, op.columns, op.columns,
                      [](std::int64_t, std::int64_t column) { return column; });
}

void run(const BatchNormInputGradient& op, const Memory& memory) {
  for (std::int64_t at = 0; at < op.rows * op.columns; ++at) {
    const std::int64_t column = at % op.columns;
    const Moments moments = kept(memory, column, op.columns);
    const double rest =
        in(memory, 0)[at] - in(memory, 6)[column] - normalized(memory, at, moments) * in(memory, 5)[column];
    out(memory, 2)[at] = static_cast<float>(in(memory, 3)[column] * moments.scale * rest);
  }
}

void run(const BatchSums& op, const Memory& memory) {
  for (std::int64_t column = 0; column < op.columns; ++column) {
    const double mean = op.squares ? in(memory, 2)[column] : 0;
    double sum = 0;
    for (std::int64_t row = 0; row < op.rows; ++row) {
      const double away = in(memory, 0)[row * op.columns + column] - mean;
      sum += op.squares ? away * away : away;
    }
    out(memory, 1)[column] = static_cast<float>(sum);
  }
}

void run(const LayerNorm& op, const Memory& memory) {
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const Group group = row_of(op.columns, row);
    const Moments moments = moments_of(in(memory, 0), group);
    keep(memory, row, op.rows, moments);
    normalize(memory, group, op.columns, moments);
  }
}

void run(const LayerNormGradient& op, const Memory& memory) {
  for (std::int64_t row = 0; op.input_gradient && row < op.rows; ++row) {
    input_gradient(memory, row_of(op.columns, row), op.columns, kept(memory, row, op.rows));
  }
  parameter_gradients(memory, op.rows, op.columns, op.rows, [](std::int64_t row, std::int64_t) { return row; });
}

void run(const Embedding& op, const Memory& memory) {
  for (std::int64_t row = 0; row < op.rows; ++row) {
    std::copy_n(in(memory, 1) + index_at(memory, row) * op.units, op.units, out(memory, 2) + row * op.units);
  }
}

void run(const EmbeddingGradient& op, const Memory& memory) {
  std::vector<double> sums(static_cast<std::size_t>(op.vocabulary * op.units));
  for (std::int64_t row = 0; row < op.rows; ++row) {
    for (std::int64_t unit = 0; unit < op.units; ++unit) {
      sums[static_cast<std::size_t>(index_at(memory, row) * op.units + unit)] += in(memory, 1)[row * op.units + unit];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) out(memory, 2)[i] = static_cast<float>(sums[i]);
}

void run(const Add& op, const Memory& memory) {
  for (std::int64_t i = 0; i < op.count; ++i) out(memory, 0)[i] += in(memory, 1)[i];
}

void enter_normalization(Kernels& kernels) {
  enter<BatchNorm, BatchNormGradient, BatchNormInputGradient, BatchSums, LayerNorm, LayerNormGradient, Embedding,
        EmbeddingGradient, Add>(kernels, [](const auto& op, const Memory& memory) { run(op, memory); });
}

}  // namespace regatta::engine::reference
