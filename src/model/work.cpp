// Counts of work by the rules that shapes.hpp states.
#include "regatta/model/shapes.hpp"

namespace regatta::model {

namespace {

constexpr double flop_per_multiply_add = 2;

/// One layer, one sample. Multiply-adds of the weight gradient equal those of the forward pass.
struct LayerWork {
  double multiply_adds = 0;                 ///< forward
  double input_gradient_multiply_adds = 0;  ///< of the products in the backward pass that are no weight gradients
  std::int64_t eager_forward = 0;
  std::int64_t eager_backward = 0;
  std::int64_t fused_forward = 0;
  std::int64_t fused_backward = 0;
};

double product(std::initializer_list<std::int64_t> factors) {
  double result = 1;
  for (const std::int64_t factor : factors) result *= static_cast<double>(factor);
  return result;
}

/// Counts one layer. `input_gradient`: a layer before this one has parameters.
struct Counting {
  const Shape& input;
  const Shape& output;
  bool training;
  bool input_gradient;

  /// One product of a kernel with `inputs` values per output value; a bias; an activation.
  [[nodiscard]] LayerWork affine(std::int64_t inputs, Activation activation) const {
    const double multiply_adds = product({element_count(output), inputs});
    const std::int64_t activations = activation == Activation::none ? 0 : 1;
    constexpr std::int64_t parameter_gradients = 2;  // kernel, bias
    return {.multiply_adds = multiply_adds,
            .input_gradient_multiply_adds = input_gradient ? multiply_adds : 0,
            .eager_forward = 2 + activations,
            .eager_backward = activations + parameter_gradients + input_gradient,
            .fused_forward = 1,
            .fused_backward = 1 + input_gradient};
  }

  LayerWork operator()(const Dense& dense) const { return affine(input.back(), dense.activation); }
  LayerWork operator()(const Conv1d& convolution) const {
    return affine(convolution.kernel * input.back(), convolution.activation);
  }
  LayerWork operator()(const Conv2d& convolution) const {
    return affine(convolution.kernel * convolution.kernel * input.back(), convolution.activation);
  }

  /// An LSTM in each of `directions` over the same input.
  [[nodiscard]] LayerWork recurrent(const Lstm& lstm, std::int64_t directions) const {
    const std::int64_t steps = input.front();
    const double from_input = product({directions, steps, input.back(), 4, lstm.units});
    const double from_state = product({directions, steps, lstm.units, 4, lstm.units});
    const std::int64_t activations = lstm.activation == Activation::none ? 0 : 2;  // candidate, cell
    const std::int64_t sequence = lstm.return_sequences ? 1 : 0;
    // Read the row, state product, add, add the bias, 4 slices, 3 sigmoids, 3 in the cell, output product; write the
    // row.
    const std::int64_t step_forward = 15 + activations + sequence;
    // Products: output 2, cell 4; sum into the cell 1; sigmoids 3; pads 4 and sums 3; bias 1 and sum 1;
    // state product 2 and sum 1; write the row. With sequences: read the row's gradient, add it to the state's.
    const std::int64_t step_backward = 23 + activations + 2 * sequence;
    const bool both = directions == 2;
    return {
        .multiply_adds = from_input + from_state,
        .input_gradient_multiply_adds = from_state + (input_gradient ? from_input : 0),
        .eager_forward = directions * (1 + steps * step_forward) + both,
        .eager_backward = directions * (1 + input_gradient + steps * step_backward) + both + (both && input_gradient),
        .fused_forward = 1 + steps,
        .fused_backward = steps + 1 + directions + input_gradient};
  }

  LayerWork operator()(const Lstm& lstm) const { return recurrent(lstm, 1); }
  LayerWork operator()(const Bidirectional& both) const { return recurrent(both.inner, 2); }

  /// One operator without parameters, which joins its neighbour when fused.
  [[nodiscard]] LayerWork elementwise() const { return {.eager_forward = 1, .eager_backward = input_gradient}; }

  LayerWork operator()(const MaxPool&) const { return elementwise(); }
  LayerWork operator()(const AveragePool&) const { return elementwise(); }
  LayerWork operator()(const GlobalAveragePool&) const { return elementwise(); }
  LayerWork operator()(const Dropout&) const { return training ? elementwise() : LayerWork{}; }
  LayerWork operator()(const Flatten&) const { return {}; }

  /// One operator with `tensors` parameters and no product.
  [[nodiscard]] LayerWork with_parameters(std::int64_t tensors, bool differentiable_input) const {
    return {.eager_forward = 1,
            .eager_backward = tensors + differentiable_input,
            .fused_forward = 1,
            .fused_backward = 1 + differentiable_input};
  }

  LayerWork operator()(const BatchNorm&) const { return with_parameters(2, input_gradient); }
  LayerWork operator()(const LayerNorm&) const { return with_parameters(2, input_gradient); }
  LayerWork operator()(const Embedding&) const { return with_parameters(1, false); }
};

std::int64_t eager_loss_ops(Loss loss) {
  return loss == Loss::mse ? 3 + 2   // subtract, square, mean; the subtraction passes its gradient on
                           : 3 + 3;  // pick, log, mean
}

std::int64_t eager_optimizer_ops(const Optimizer& optimizer, std::int64_t tensors) {
  constexpr std::int64_t adam_step_size = 8;
  return tensors + (std::holds_alternative<Adam>(optimizer) ? adam_step_size : 0);
}

Work network_work(const Network& network, std::int64_t batch, bool training) {
  const std::vector<Shape> shapes = infer_shapes(network);
  const std::vector<Parameter> tensors = parameters(network);
  Work work;
  for (const Parameter& tensor : tensors) work.parameters += element_count(tensor.shape);
  const double flop = flop_per_multiply_add * static_cast<double>(batch);
  bool input_gradient = false;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const LayerWork layer = std::visit(Counting{shapes[i], shapes[i + 1], training, input_gradient}, network.layers[i]);
    work.forward_flop += flop * layer.multiply_adds;
    work.eager_ops += layer.eager_forward;
    work.fused_ops += layer.fused_forward;
    input_gradient = input_gradient || layer.fused_forward > 0;  // a layer with parameters is one fused operator
    if (!training) continue;
    work.input_gradient_flop += flop * layer.input_gradient_multiply_adds;
    work.weight_gradient_flop += flop * layer.multiply_adds;
    work.eager_ops += layer.eager_backward;
    work.fused_ops += layer.fused_backward;
  }
  if (training) {
    work.eager_ops += eager_loss_ops(network.loss) +
                      eager_optimizer_ops(network.optimizer, static_cast<std::int64_t>(tensors.size()));
    work.fused_ops += 2;  // loss, optimizer
  }
  return work;
}

/// Work of a model's step of either kind.
struct Step {
  std::int64_t batch;
  bool training;

  Work operator()(const Network& network) const { return network_work(network, batch, training); }
  Work operator()(const Matmul& matmul) const {
    return {.forward_flop = flop_per_multiply_add * product({matmul.size, matmul.size, matmul.size}),
            .eager_ops = 1,
            .fused_ops = 1};
  }
  /// x * x; a seed of one, a gradient for each of two inputs, their sum.
  Work operator()(const ScalarGradient&) const { return {.eager_ops = 5, .fused_ops = 1}; }
  Work operator()(const Noop&) const { return {}; }
  Work operator()(const UserModel&) const { return {}; }  // only its framework knows
};

}  // namespace

Work training_work(const Model& model, std::int64_t batch) { return std::visit(Step{batch, true}, model); }

Work inference_work(const Model& model, std::int64_t batch) { return std::visit(Step{batch, false}, model); }

}  // namespace regatta::model
