// The kernels of layer_kernels.hpp, for whichever vector header was included first.
#pragma once

#include "engine/cpu/kernels/dropout_kernel.hpp"
#include "engine/cpu/kernels/lstm_kernel.hpp"
#include "engine/cpu/kernels/norm_kernel.hpp"
#include "engine/cpu/kernels/pool_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr LayerKernels make_layer_kernels() {
  return {.max_pool = max_pool,
          .max_pool_gradient = max_pool_gradient,
          .average_pool = average_pool,
          .average_pool_gradient = average_pool_gradient,
          .lstm_cells = lstm_cells,
          .lstm_cells_gradient = lstm_cells_gradient,
          .batch_norm = batch_norm,
          .batch_norm_gradient = batch_norm_gradient,
          .layer_norm = layer_norm,
          .layer_norm_gradient = layer_norm_gradient,
          .layer_norm_parameters = layer_norm_parameters,
          .dropout_mask = dropout_mask,
          .add = add_to};
}

}  // namespace
}  // namespace regatta::engine::cpu
