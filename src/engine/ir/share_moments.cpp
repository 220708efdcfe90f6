#include <utility>

#include "engine/ir/ir.hpp"

namespace regatta::engine {

namespace {

using Becomes = BatchStatistic::Becomes;

struct Sharing {
  Program& program;
  std::vector<Node> nodes = {};
  std::vector<BatchStatistic> of_gradients = {};  ///< by layer

  [[nodiscard]] BufferIndex statistics(std::int64_t elements) const {
    return add_buffer(program, Role::statistics, elements);
  }

  /// Two nodes in front: the sums of x, and of the squared distances from the mean.
  void share(BatchNorm& norm, Operands& operands) {
    const BufferIndex x = operands[0], moments = operands[4], sums = statistics(norm.columns);
    program.buffers[static_cast<std::size_t>(moments)].role = Role::statistics;
    nodes.push_back({make_op(BatchSums{norm.rows, norm.columns, false}, {x, sums}), {}});
    nodes.push_back({make_op(BatchSums{norm.rows, norm.columns, true}, {x, sums, moments}), {}});
    program.statistics.push_back({Becomes::mean, norm.rows, norm.columns, {sums}, {moments}});
    program.statistics.push_back({Becomes::scale, norm.rows, norm.columns, {sums}, {moments}});
    program.statistics.back().moving = std::exchange(operands[5], kNoBuffer);
    program.statistics.back().epsilon = norm.epsilon;
    program.statistics.back().smallest_share = norm.smallest_share;
    operands[6] = kNoBuffer;
    norm.moving_moments = false;
    norm.given_moments = true;
  }

  /// The input's gradient is an operation of its own, which reads means over the batch.
  void share(std::vector<Op>& gradient) {
    auto& spec = std::get<BatchNormGradient>(gradient.front().spec);
    if (!std::exchange(spec.input_gradient, false)) return;
    Operands operands = gradient.front().operands;
    const std::vector<BufferIndex> own{operands[5], operands[6]};
    operands[5] = statistics(spec.columns);
    operands[6] = statistics(spec.columns);
    of_gradients.push_back({Becomes::gradient_means, spec.rows, spec.columns, own, {operands[5], operands[6]}});
    gradient.push_back({BatchNormInputGradient{spec.rows, spec.columns}, operands});
  }
};

}  // namespace

void share_moments(Program& program) {
  Sharing sharing{program};
  for (Node& node : program.nodes) {
    if (auto* const norm = std::get_if<BatchNorm>(&node.op.spec)) {
      sharing.share(*norm, node.op.operands);
      sharing.share(node.gradient);
    }
    sharing.nodes.push_back(std::move(node));
  }
  program.nodes = std::move(sharing.nodes);
  program.statistics.insert(program.statistics.end(), sharing.of_gradients.rbegin(), sharing.of_gradients.rend());
}

}  // namespace regatta::engine
