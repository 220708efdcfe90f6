#include "engine/ir/builder.hpp"

#include <algorithm>
#include <new>

#include "regatta/model/shapes.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 44;

BufferIndex add_at(Program& program, Role role, const BufferSpec& like) {
  program.buffers.push_back({role, like.bytes, like.offset});
  return static_cast<BufferIndex>(program.buffers.size()) - 1;
}

struct UpdateMaker {
  Program& program;
  const ParameterBuffers& parameter;

  [[nodiscard]] const BufferSpec& spec() const { return program.buffers[static_cast<std::size_t>(parameter.value)]; }
  [[nodiscard]] std::int64_t count() const { return spec().bytes / static_cast<std::int64_t>(sizeof(float)); }

  Op operator()(const model::Sgd& sgd) const {
    const BufferSpec like = spec();
    const auto momentum = static_cast<float>(sgd.momentum);
    const BufferIndex velocity = momentum != 0 ? add_at(program, Role::first_moment, like) : kNoBuffer;
    return make_op(SgdUpdate{count(), static_cast<float>(sgd.learning_rate), momentum},
                   {parameter.value, parameter.gradient, velocity});
  }

  Op operator()(const model::Adam& adam) const {
    const BufferSpec like = spec();
    const BufferIndex m = add_at(program, Role::first_moment, like);
    const BufferIndex v = add_at(program, Role::second_moment, like);
    const BufferIndex state = shared_buffer(program, Role::step_state, sizeof(StepState));
    return make_op(AdamUpdate{count(), static_cast<float>(adam.learning_rate), adam.beta1, adam.beta2,
                              static_cast<float>(adam.epsilon)},
                   {parameter.value, parameter.gradient, m, v, state});
  }
};

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

void add_updates(Program& program, const model::Optimizer& optimizer) {
  for (auto parameter = program.parameters.rbegin(); parameter != program.parameters.rend(); ++parameter) {
    program.updates.push_back(std::visit(UpdateMaker{program, *parameter}, optimizer));
  }
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
