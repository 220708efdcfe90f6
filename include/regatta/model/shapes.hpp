// Shape inference and counts of work.
#pragma once

#include <cstdint>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/model/sizes.hpp"

namespace regatta::model {

/// Output shape after each layer; element 0 is the input. Throws InputError naming the layer whose
/// input cannot hold it (for example a kernel longer than its input).
std::vector<Shape> infer_shapes(const Network& network);

/// How many 1-D convolutions the network begins with that global average pooling follows and commutes with: they have
/// no activation, and only the first one pads its input with zeros. 0 if it does not begin so.
std::size_t pooled_convolutions(const Network& network);

/// All parameters in layer order. Throws like infer_shapes.
std::vector<Parameter> parameters(const Network& network);

/// Work of one step. FLOP count convolutions, dense layers and LSTM products, 2 per multiply-add
/// (multiplications with padding included); the first layer's input gradient is not needed and not counted.
///
/// How eager operators are counted, the same for every layer:
/// - Forward: a dense layer or a convolution issues its product and the addition of its bias; an activation, a
///   pooling or a dropout (in training) is one operator; flatten is a view and costs none.
/// - Backward: one operator for each input of a forward operator that needs a gradient. Additions and subtractions
///   pass theirs on; the gradient of a bias is one sum; a value that is used k times costs k - 1 additions. No
///   gradient goes further back than the first layer with parameters.
/// - Losses: mse is subtract, square, mean; a cross-entropy is pick the label's probability, log, mean.
/// - Optimizers: one operator for each parameter tensor. Adam issues 8 more for its step size
///   (count the step, two powers, two complements, root, quotient, product with the learning rate).
/// - LSTM: the products of all inputs with the kernel are one operator (and one for each of its gradients). A time step
///   reads its row, multiplies the state, adds both and the bias, slices 4 gates, applies 3 sigmoids and the activation
///   of the candidate, updates the cell (2 products, 1 sum), applies the activation to it, multiplies, and writes its
///   row: 18 operators. Its gradients by the rule above are 27: a slice's gradient pads it to all gates (4, and 3
///   sums), and sums over time add into the gradients of the recurrent kernel and the bias.
/// - Bidirectional: two LSTMs, one concatenation and its gradient, and one sum where both give an input gradient.
/// - batch_norm, layer_norm and embedding are one operator forward.
///
/// How fused operators are counted: a layer with parameters is one operator forward, one for its parameters'
/// gradients and one for its input's; all else joins a neighbour. An LSTM is one operator for each time step and pass
/// (both directions at once), one for the products with the kernel and one for each of their gradients, and one for the
/// gradient of each recurrent kernel. Loss and optimizer are one each.
struct Work {
  std::int64_t parameters = 0;
  double forward_flop = 0;
  double input_gradient_flop = 0;
  double weight_gradient_flop = 0;
  std::int64_t eager_ops = 0;  ///< kernels an operator-at-a-time runtime issues in one training step
  std::int64_t fused_ops = 0;  ///< one per layer and pass
};

/// Work of one training step of `batch` samples (for Matmul: one product; forward only; for UserModel, which only its
/// framework knows: zero).
Work training_work(const Model& model, std::int64_t batch);

/// Work of one inference step.
Work inference_work(const Model& model, std::int64_t batch);

}  // namespace regatta::model
