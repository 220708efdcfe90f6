// Batch and layer normalization.
#include "engine/cuda/kernels/column_normalization.cuh"
#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/row_normalization.cuh"

namespace regatta::engine::cuda {

namespace {

void issue(const Target& target, const BatchNorm& op, const Memory& memory) {
  const Tiles tiles = tiles_of(1, op.rows, op.columns, true);
  const float* const x = floats_of(memory, 0);
  float* const means = floats_of(memory, 4);
  float* const moving = op.moving_moments ? floats_of(memory, 5) : nullptr;
  if (!op.fixed_moments) {
    launch_sums(target, "column_means", ColumnMeans{x, means, op.rows, op.columns}, tiles);
    const ColumnScales scales{.x = x,
                              .means = means,
                              .scales = means + op.columns,
                              .moving = moving,
                              .state = static_cast<const StepState*>(memory[6]),
                              .epsilon = op.epsilon,
                              .smallest_share = op.smallest_share,
                              .rows = op.rows,
                              .columns = op.columns};
    launch_sums(target, "column_scales", scales, tiles);
  }
  const NormalizeColumns normalize{.x = x,
                                   .gamma = floats_of(memory, 2),
                                   .beta = floats_of(memory, 3),
                                   .moving = moving,
                                   .y = floats_of(memory, 1),
                                   .moments = means,
                                   .columns = op.columns,
                                   .epsilon = op.epsilon,
                                   .fixed = op.fixed_moments};
  launch_rows(target, "normalize_columns", normalize, tiles);
}

/// `groups` share a mean and a scale.
ParameterGradients parameter_gradients(const Memory& memory, std::int64_t columns, std::int64_t groups, bool by_row) {
  return {.dy = floats_of(memory, 0),
          .x = floats_of(memory, 1),
          .means = floats_of(memory, 4),
          .scales = floats_of(memory, 4) + groups,
          .dgamma = floats_of(memory, 5),
          .dbeta = floats_of(memory, 6),
          .columns = columns,
          .by_row = by_row};
}

void issue(const Target& target, const BatchNormGradient& op, const Memory& memory) {
  const Tiles tiles = tiles_of(1, op.rows, op.columns, true);
  const ParameterGradients sums = parameter_gradients(memory, op.columns, op.columns, false);
  launch_sums(target, "normalization_gradients", sums, tiles);
  if (!op.input_gradient) return;
  const ColumnInputGradients inputs{.dy = sums.dy,
                                    .x = sums.x,
                                    .gamma = floats_of(memory, 3),
                                    .moments = sums.means,
                                    .dgamma = sums.dgamma,
                                    .dbeta = sums.dbeta,
                                    .dx = floats_of(memory, 2),
                                    .rows = op.rows,
                                    .columns = op.columns};
  launch_rows(target, "batch_norm_gradient", inputs, tiles);
}

/// In packs where the columns allow, as all sums by columns.
struct RowGrid {
  RowLanes shape;
  bool packs;
  Grid grid;
};

RowGrid rows_of(std::int64_t rows, std::int64_t columns) {
  const bool packs = columns % 4 == 0;
  const int lanes = lanes_of(packs ? columns / 4 : columns);
  return {{rows, columns, lanes}, packs, {blocks_of(divide_up(rows * lanes, kThreads)), dim3(kThreads)}};
}

void issue(const Target& target, const LayerNorm& op, const Memory& memory) {
  if (op.rows * op.columns == 0) return;
  const RowGrid by = rows_of(op.rows, op.columns);
  launch(target, "normalize_rows", by.grid, by.packs ? normalize_rows<4> : normalize_rows<1>, by.shape,
         floats_of(memory, 0), floats_of(memory, 1), floats_of(memory, 2), floats_of(memory, 3), floats_of(memory, 4));
}

void issue(const Target& target, const LayerNormGradient& op, const Memory& memory) {
  if (op.rows * op.columns == 0) return;
  launch_sums(target, "normalization_gradients", parameter_gradients(memory, op.columns, op.rows, true),
              tiles_of(1, op.rows, op.columns, true));
  if (!op.input_gradient) return;
  const RowGrid by = rows_of(op.rows, op.columns);
  launch(target, "layer_norm_gradient", by.grid, by.packs ? row_input_gradients<4> : row_input_gradients<1>, by.shape,
         floats_of(memory, 0), floats_of(memory, 1), floats_of(memory, 3), floats_of(memory, 4), floats_of(memory, 2));
}

}  // namespace

void enter_normalization(IssueTable& table) {
  enter<BatchNorm, BatchNormGradient, LayerNorm, LayerNormGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda
