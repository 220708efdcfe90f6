// Rows of a table by index, and their gradients added up in the order of the indices: units of the gradient are
// panels of columns, so that any number of threads adds in the same order.
#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/families.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr double kElement = 4;  // cost of streaming one, in operations of kWorthSplitting

const std::int32_t* indices(const Call& call) { return static_cast<const std::int32_t*>(call.operands[0]); }

void launch_embedding(const Call& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t units = spec_of<Embedding>(call).units;
  for (std::int64_t row = begin; row < end; ++row) {
    std::copy_n(in(call, 1) + indices(call)[row] * units, units, out(call, 2) + row * units);
  }
}

void launch_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<EmbeddingGradient>(call);
  const std::int64_t panel = kernels_of(call).panel;
  const std::int64_t first = begin * panel;
  const std::int64_t count = std::min(op.units, end * panel) - first;
  float* const gradient = out(call, 2) + first;
  for (std::int64_t row = 0; row < op.vocabulary; ++row) std::fill_n(gradient + row * op.units, count, 0.0F);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    kernels_of(call).layers.add(gradient + indices(call)[row] * op.units, in(call, 1) + row * op.units + first, count);
  }
}

BoundCalls bind_embedding(const Target& target, const Embedding& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0] = make_call(target, op, memory, launch_embedding);
  split(target, bound.calls[0], op.rows, kElement * static_cast<double>(op.units));
  return bound;
}

BoundCalls bind_embedding(const Target& target, const EmbeddingGradient& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0] = make_call(target, op, memory, launch_gradient);
  const std::int64_t panel = target.kernels->panel;
  split(target, bound.calls[0], divide_up(op.units, panel),
        kElement * static_cast<double>((op.rows + op.vocabulary) * panel));
  return bound;
}

}  // namespace

void enter_embedding(CallTable& table) {
  enter<Embedding, EmbeddingGradient>(table, [](const Target& target, const auto& op, const Memory& memory) {
    return bind_embedding(target, op, memory);
  });
}

}  // namespace regatta::engine::cpu
