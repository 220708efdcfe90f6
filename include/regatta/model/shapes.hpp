// Shape inference and counts of work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/model/model.hpp"

namespace regatta::model {

/// A parameter tensor. Names are "<layer index>.<kernel|bias|recurrent_kernel|gamma|beta>"
/// ("<i>.forward.kernel" and "<i>.backward.kernel" in a bidirectional layer).
/// Kernel layouts: dense (in, out); conv1d (taps, in, out); conv2d (rows, columns, in, out);
/// lstm kernel (in, 4 units), recurrent (units, 4 units), gates in the order i, f, g, o; embedding (vocabulary, units).
struct Parameter {
  std::string name;
  Shape shape;
};

/// Output shape after each layer; element 0 is the input. Throws InputError naming the layer whose
/// input cannot hold it (for example a kernel longer than its input).
std::vector<Shape> infer_shapes(const Network& network);

/// All parameters in layer order. Throws like infer_shapes.
std::vector<Parameter> parameters(const Network& network);

std::int64_t element_count(const Shape& shape);

/// Work of one step. FLOP count convolutions, dense layers and LSTM products, 2 per multiply-add;
/// the first layer's input gradient is not needed and not counted.
struct Work {
  std::int64_t parameters = 0;
  double forward_flop = 0;
  double input_gradient_flop = 0;
  double weight_gradient_flop = 0;
  std::int64_t eager_ops = 0;  ///< kernels an operator-at-a-time runtime issues in one training step
  std::int64_t fused_ops = 0;  ///< one per layer and pass
};

/// Work of one training step of `batch` samples (for Matmul: one product; forward only).
Work training_work(const Model& model, std::int64_t batch);

/// Work of one inference step.
Work inference_work(const Model& model, std::int64_t batch);

}  // namespace regatta::model
