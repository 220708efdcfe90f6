#include <algorithm>
#include <new>

#include "engine/ir/ir.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 44;

BufferIndex add_at(Program& program, Role role, const BufferSpec& like) {
  program.buffers.push_back({role, like.bytes, like.offset});
  return static_cast<BufferIndex>(program.buffers.size()) - 1;
}

BufferIndex state_of(Program& program) { return shared_buffer(program, Role::step_state, sizeof(StepState)); }

struct UpdateMaker {
  Program& program;
  ParameterBuffers& parameter;
  float weight_decay;
  bool clips;

  [[nodiscard]] const BufferSpec& spec() const { return program.buffers[static_cast<std::size_t>(parameter.value)]; }
  [[nodiscard]] std::int64_t count() const { return spec().bytes / static_cast<std::int64_t>(sizeof(float)); }

  Op operator()(const model::Sgd& sgd) const {
    const BufferSpec like = spec();
    const auto momentum = static_cast<float>(sgd.momentum);
    if (momentum != 0) parameter.first_moment = add_at(program, Role::first_moment, like);
    return make_op(SgdUpdate{count(), momentum, weight_decay, clips},
                   {parameter.value, parameter.gradient, parameter.first_moment, state_of(program)});
  }

  Op operator()(const model::Adam& adam) const {
    const BufferSpec like = spec();
    parameter.first_moment = add_at(program, Role::first_moment, like);
    parameter.second_moment = add_at(program, Role::second_moment, like);
    return make_op(
        AdamUpdate{count(), adam.beta1, adam.beta2, static_cast<float>(adam.epsilon), weight_decay, clips},
        {parameter.value, parameter.gradient, parameter.first_moment, parameter.second_moment, state_of(program)});
  }
};

/// Adds the operations on all gradients at once; none for a network without parameters.
void prepare_gradients(Program& program, const Settings& settings) {
  if (program.flat_bytes == 0) return;
  const std::int64_t count = program.flat_bytes / static_cast<std::int64_t>(sizeof(float));
  const bool sums = settings.accumulate > 1, clips = settings.clip_norm > 0;
  const auto flat = [&](Role role) { return add_at(program, role, {role, program.flat_bytes, 0}); };
  const BufferIndex gradients = sums || clips ? flat(Role::gradient) : kNoBuffer;
  if (sums) {
    program.updates.push_back(
        make_op(AccumulateGradients{count, settings.accumulate}, {gradients, flat(Role::gradient_sum)}));
    for (ParameterBuffers& parameter : program.parameters) {
      const BufferSpec like = program.buffers[static_cast<std::size_t>(parameter.value)];
      parameter.gradient_sum = add_at(program, Role::gradient_sum, like);
    }
  }
  if (clips)
    program.updates.push_back(make_op(ClipGradients{count, settings.clip_norm}, {gradients, state_of(program)}));
}

}  // namespace

std::int64_t checked_product(std::initializer_list<std::int64_t> sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product) || product > kMaxElements) throw std::bad_alloc();
  }
  return product;
}

BufferIndex add_buffer(Program& program, Role role, std::int64_t elements) {
  program.buffers.push_back({role, checked_product({elements, sizeof(float)}), 0});
  return static_cast<BufferIndex>(program.buffers.size()) - 1;
}

BufferIndex shared_buffer(Program& program, Role role, std::int64_t bytes) {
  const auto found = std::find_if(program.buffers.begin(), program.buffers.end(),
                                  [&](const BufferSpec& buffer) { return buffer.role == role; });
  if (found != program.buffers.end()) return static_cast<BufferIndex>(found - program.buffers.begin());
  program.buffers.push_back({role, bytes, 0});
  return static_cast<BufferIndex>(program.buffers.size()) - 1;
}

Op make_op(OpSpec spec, std::initializer_list<BufferIndex> operands) {
  Op op{spec, {}};
  op.operands.fill(kNoBuffer);
  std::copy(operands.begin(), operands.end(), op.operands.begin());
  return op;
}

void add_parameters(Program& program, const model::Network& network) {
  for (const model::Parameter& parameter : model::parameters(network)) {
    program.parameters.push_back({parameter.name, parameter.shape, kNoBuffer, kNoBuffer});
  }
  for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter) {
    const std::int64_t bytes = checked_product({model::element_count(parameter->shape), sizeof(float)});
    const BufferSpec spec{Role::parameter, bytes, program.flat_bytes};
    parameter->value = add_at(program, Role::parameter, spec);
    parameter->gradient = add_at(program, Role::gradient, spec);
    program.flat_bytes += aligned(bytes);
  }
}

void add_updates(Program& program, const model::Optimizer& optimizer, const Settings& settings) {
  program.learning_rate =
      static_cast<float>(std::visit([](const auto& method) { return method.learning_rate; }, optimizer));
  prepare_gradients(program, settings);
  const auto weight_decay = static_cast<float>(settings.weight_decay);
  for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter) {
    program.updates.push_back(
        std::visit(UpdateMaker{program, *parameter, weight_decay, settings.clip_norm > 0}, optimizer));
  }
}

Program without_update(const Program& program) {
  Program step = program;
  step.updates.clear();
  for (const Op& op : program.updates) {
    const auto* mean = std::get_if<AccumulateGradients>(&op.spec);
    if (mean != nullptr) step.updates.push_back({AccumulateGradients{mean->count, 0}, op.operands});
  }
  for (Node& node : step.nodes) {
    auto* const advance = std::get_if<AdvanceStep>(&node.op.spec);
    if (advance != nullptr) *advance = {1, 1};
  }
  return step;
}

StepParts parts_of(const Program& program) {
  StepParts parts{program, program, program};
  const auto counts = [](const Node& node) { return std::holds_alternative<AdvanceStep>(node.op.spec); };
  std::erase_if(parts.count.nodes, [&](const Node& node) { return !counts(node); });
  std::erase_if(parts.gradients.nodes, counts);
  parts.update.nodes.clear();
  parts.count.updates.clear();
  parts.gradients.updates.clear();
  return parts;
}

std::vector<Op> step_ops(const Program& program) {
  std::vector<Op> ops;
  for (const Node& node : program.nodes) ops.push_back(node.op);
  for (auto node = program.nodes.rbegin(); node != program.nodes.rend(); ++node) {
    ops.insert(ops.end(), node->gradient.begin(), node->gradient.end());
  }
  ops.insert(ops.end(), program.updates.begin(), program.updates.end());
  return ops;
}

}  // namespace regatta::engine
