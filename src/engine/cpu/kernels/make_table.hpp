// The table of the kernels above, for whichever vector header was included first.
#pragma once

#include "engine/cpu/kernels/element_ops.hpp"
#include "engine/cpu/kernels/fft_kernel.hpp"
#include "engine/cpu/kernels/gemm_kernel.hpp"
#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/cpu/kernels/loss_kernel.hpp"
#include "engine/cpu/kernels/lstm_kernel.hpp"
#include "engine/cpu/kernels/norm_kernel.hpp"
#include "engine/cpu/kernels/optimizer_kernel.hpp"
#include "engine/cpu/kernels/outer_gradient_kernel.hpp"
#include "engine/cpu/kernels/outer_kernel.hpp"
#include "engine/cpu/kernels/pool_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr LayerKernels make_layer_kernels() {
  return {.lstm_cells = lstm_cells,
          .lstm_cells_gradient = lstm_cells_gradient,
          .batch_norm = batch_norm,
          .batch_norm_gradient = batch_norm_gradient,
          .batch_norm_input_gradient = batch_norm_input_gradient,
          .batch_sums = batch_sums,
          .batch_squares = batch_squares,
          .layer_norm = layer_norm,
          .layer_norm_gradient = layer_norm_gradient,
          .layer_norm_parameters = layer_norm_parameters,
          .dropout_mask = dropout_mask,
          .add = add_to};
}

constexpr KernelTable make_table(const char* isa, const char* arithmetic) {
  KernelTable table = {.isa = isa,
                       .arithmetic = arithmetic,
                       .lanes = kWidth,
                       .panel = kPanel,
                       .tile_rows = kTileRows,
                       .wide_rows = kWideTileRows,
                       .block = kBlockDepth,
                       .deep_block = kDeepBlock,
                       .masked_loads = kMaskedLoads,
                       .gemm = gemm,
                       .dots = dots,
                       .few_columns = few_columns,
                       .outer_product = outer_product,
                       .outer_gradient = outer_gradient,
                       .pack = pack,
                       .column_sum = column_sum,
                       .add_column_sum = add_column_sum,
                       .add_bias = add_bias,
                       .activate = activate,
                       .activate_gradient = activate_gradient,
                       .multiply = multiply,
                       .average = average,
                       .spread = spread,
                       .softmax = softmax,
                       .squared_errors = squared_errors,
                       .binary_entropies = binary_entropies,
                       .categorical_entropies = categorical_entropies,
                       .scaled_difference = scaled_difference,
                       .categorical_gradient = categorical_gradient,
                       .sgd = sgd,
                       .adam = adam,
                       .exponential = exponential_of_all,
                       .logarithm = logarithm_of_all,
                       .layers = make_layer_kernels(),
                       .fft = make_fft_kernels()};
  enter_element_ops(table.ops);
  enter_pools(table.ops);
  return table;
}

}  // namespace
}  // namespace regatta::engine::cpu
