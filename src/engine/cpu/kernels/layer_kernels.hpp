// The kernels of recurrent layers, normalization and dropout masks of one instruction set: a part of KernelTable.
// Only plain types, as there.
#pragma once

#include <cstdint>

#include "regatta/engine/layer_ops.hpp"

namespace regatta::engine::cpu {

/// Some units of one position of a recurrent layer, for all samples of `rows`.
struct LstmCellsView {
  std::int64_t rows, columns;  ///< samples, units
  const float* products;       ///< states before times the recurrent kernel; null at the first position
  std::int64_t products_row, products_gate;
  float* gates;                  ///< the first unit's i, in place: becomes the activated gates
  std::int64_t gates_row, gate;  ///< between samples, and between the gates of a sample
  const float* before;           ///< cells of the position before; null at the first
  float* cells;
  std::int64_t cells_row;  ///< stride of `before` and `cells`
  float* states;
  std::int64_t states_row;
  float* copy;  ///< the states once more, for the product of the next position
  std::int64_t copy_row;
  Activation activation;
};

/// All units of one position backwards.
struct LstmCellsGradientView {
  std::int64_t rows, columns;
  const float* dstates;  ///< from the layer above; null: none
  std::int64_t dstates_row;
  const float* carried;  ///< the states' gradient from the position behind; null at the last
  std::int64_t carried_row;
  float* gates;  ///< in place: activated gates become their gradients
  std::int64_t gates_row, gate;
  float* copy;  ///< the gates' gradients once more, `gate` apart
  std::int64_t copy_row;
  const float* cells;
  const float* before;  ///< null at the first position
  std::int64_t cells_row;
  float* dcells;  ///< the cells' gradient, carried from position to position
  std::int64_t dcells_row;
  bool last;  ///< nothing was carried yet
  Activation activation;
};

/// Columns [begin, end) for BatchNorm, rows [begin, end) for LayerNorm. x, y, dy, dx: (rows, columns).
struct NormView {
  std::int64_t rows, columns, begin, end;
  const float* x;
  float* y;
  const float* gamma;
  const float* beta;
  float* mean;  ///< for each column (batch) or row (layer); written forward, read backward
  float* scale;
  bool fixed_moments;
  bool given_moments;
  float epsilon;       ///< batch normalization's
  float* moving_mean;  ///< each column's; null: none are kept
  float* moving_variance;
  float moving_share;  ///< where they move
  const float* dy;
  float* dx;  ///< null: not wanted
  float* dgamma;
  float* dbeta;
  float* sums;  ///< over the rows of each column
};

/// mask[i] = 0 where the upper 24 of the random bits at counter first + i are below `bound`, else `kept`.
struct DropoutMaskView {
  std::uint64_t base;  ///< counters_of(key), random.hpp
  std::uint64_t first;
  std::int64_t count;
  std::uint64_t bound;
  float kept;
  float* mask;
};

struct LayerKernels {
  void (*lstm_cells)(const LstmCellsView& view);
  void (*lstm_cells_gradient)(const LstmCellsGradientView& view);
  void (*batch_norm)(const NormView& view);
  void (*batch_norm_gradient)(const NormView& view);        ///< also writes dgamma, dbeta of its columns
  void (*batch_norm_input_gradient)(const NormView& view);  ///< reads dgamma, dbeta of the batch over its rows
  void (*batch_sums)(const NormView& view);
  void (*batch_squares)(const NormView& view);
  void (*layer_norm)(const NormView& view);
  void (*layer_norm_gradient)(const NormView& view);    ///< dx of rows [begin, end)
  void (*layer_norm_parameters)(const NormView& view);  ///< dgamma, dbeta of columns [begin, end)
  void (*dropout_mask)(const DropoutMaskView& view);
  void (*add)(float* x, const float* y, std::int64_t count);
};

}  // namespace regatta::engine::cpu
