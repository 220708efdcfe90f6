// Counts of work by the rules that shapes.hpp states; a layer's stand in layer_rules.cpp.
#include "model/layer_rules.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::model {

namespace {

constexpr double flop_per_multiply_add = 2;

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
    const LayerWork layer = work_of(network.layers[i], {shapes[i], shapes[i + 1], training, input_gradient});
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
    const auto size = static_cast<double>(matmul.size);
    return {.forward_flop = flop_per_multiply_add * (size * size * size), .eager_ops = 1, .fused_ops = 1};
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
