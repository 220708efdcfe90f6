// Operations that are computed in one way: element by element, row by row, or at once.
#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/calls.hpp"
#include "engine/cpu/calls/conv1d_ranges.hpp"
#include "engine/cpu/calls/families.hpp"
#include "engine/cpu/calls/loss.hpp"

namespace regatta::engine::cpu {

namespace {

// run(call, op, begin, end): units [begin, end) of one kind of operation.

void run(const Call& call, const AdvanceStep& op, std::int64_t, std::int64_t) {
  auto& state = *static_cast<StepState*>(call.operands[0]);
  ++state.step;
  state.beta1_power *= op.beta1;
  state.beta2_power *= op.beta2;
  state.correction1 = static_cast<float>(1 / (1 - state.beta1_power));
  state.correction2 = static_cast<float>(1 / (1 - state.beta2_power));
}

void run(const Call& call, const AddBias& op, std::int64_t begin, std::int64_t end) {
  kernels_of(call).add_bias(out(call, 0) + begin * op.columns, in(call, 1), end - begin, op.columns);
}

void run(const Call& call, const ColumnSum& op, std::int64_t begin, std::int64_t end) {
  const KernelTable& kernels = kernels_of(call);
  const auto sum = op.add_to_sums ? kernels.add_column_sum : kernels.column_sum;
  sum(in(call, 0), op.rows, op.columns, begin * kernels.panel, std::min(op.columns, end * kernels.panel), out(call, 1));
}

void run(const Call& call, const Activate& op, std::int64_t begin, std::int64_t end) {
  const Elements part = elements(op.count, begin, end);
  kernels_of(call).activate(op.activation, out(call, 0) + part.begin, part.count);
}

void run(const Call& call, const ActivateGradient& op, std::int64_t begin, std::int64_t end) {
  const Elements part = elements(op.count, begin, end);
  kernels_of(call).activate_gradient(op.activation, out(call, 0) + part.begin, in(call, 1) + part.begin, part.count);
}

void run(const Call& call, const Softmax& op, std::int64_t begin, std::int64_t end) {
  kernels_of(call).softmax(out(call, 0) + begin * op.columns, end - begin, op.columns);
}

void run(const Call& call, const GlobalAveragePool& op, std::int64_t begin, std::int64_t end) {
  const float factor = 1.0F / static_cast<float>(op.length);
  for (std::int64_t i = begin; i < end; ++i) {
    kernels_of(call).average(in(call, 0) + i * op.length * op.channels, op.length, op.channels, factor,
                             out(call, 1) + i * op.channels);
  }
}

/// Windows begin one row further on each, and each is a sum of rows that lie `stride` apart.
void run(const Call& call, const SlidingMean& op, std::int64_t begin, std::int64_t end) {
  const float factor = 1.0F / static_cast<float>(op.count);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t image = unit / op.outputs;
    const std::int64_t start = unit % op.outputs - op.pad;
    const Range inside = bounded(ceil_divide(-start, op.stride), ceil_divide(op.length - start, op.stride), op.count);
    const float* const x = in(call, 0) + (image * op.length + inside.begin * op.stride + start) * op.channels;
    float* const y = out(call, 1) + unit * op.channels;
    kernels_of(call).column_sum(x, inside.size(), op.stride * op.channels, 0, op.channels, y);
    kernels_of(call).spread(y, 1, op.channels, factor, y);
  }
}

void run(const Call& call, const GlobalAveragePoolGradient& op, std::int64_t begin, std::int64_t end) {
  const float factor = 1.0F / static_cast<float>(op.length);
  for (std::int64_t i = begin; i < end; ++i) {
    kernels_of(call).spread(in(call, 0) + i * op.channels, op.length, op.channels, factor,
                            out(call, 1) + i * op.length * op.channels);
  }
}

void run(const Call& call, const Dropout& op, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = begin * op.units;
  float* const mask = out(call, 2);
  fill_dropout_mask(kernels_of(call), op, *static_cast<const StepState*>(call.operands[3]), begin, end, mask);
  kernels_of(call).multiply(in(call, 0) + first, mask + first, out(call, 1) + first, (end - begin) * op.units);
}

void run(const Call& call, const Loss& op, std::int64_t, std::int64_t) { run_loss(call, op); }

void run(const Call& call, const Square&, std::int64_t, std::int64_t) { *out(call, 1) = *in(call, 0) * *in(call, 0); }

void run(const Call& call, const SquareGradient&, std::int64_t, std::int64_t) {
  *out(call, 2) = 2 * *in(call, 0) * *in(call, 1);
}

void run(const Call& call, const Fill& op, std::int64_t, std::int64_t) {
  std::fill_n(out(call, 0), op.count, op.value);
}

constexpr double kRandom = 64;  ///< cost of one random number

Split chunks(std::int64_t count, double cost) { return {divide_up(count, kChunk), cost * static_cast<double>(kChunk)}; }
Split rows(std::int64_t count, std::int64_t width, double cost) { return {count, cost * static_cast<double>(width)}; }

struct Splits {
  const KernelTable& kernels;
  Split operator()(const AddBias& op) const { return rows(op.rows, op.columns, kElement); }
  Split operator()(const ColumnSum& op) const {
    return {divide_up(op.columns, kernels.panel), kElement * static_cast<double>(op.rows * kernels.panel)};
  }
  Split operator()(const Activate& op) const { return chunks(op.count, kElement); }
  Split operator()(const ActivateGradient& op) const { return chunks(op.count, kElement); }
  Split operator()(const Softmax& op) const { return rows(op.rows, op.columns, kElement); }
  Split operator()(const GlobalAveragePool& op) const { return rows(op.batch, op.length * op.channels, kElement); }
  Split operator()(const SlidingMean& op) const {
    return rows(op.batch * op.outputs, op.count * op.channels, kElement);
  }
  Split operator()(const GlobalAveragePoolGradient& op) const {
    return rows(op.batch, op.length * op.channels, kElement);
  }
  Split operator()(const Dropout& op) const { return rows(op.batch, op.units, kRandom); }
  Split operator()(const auto& /*not split*/) const { return {1, 0}; }
};

template <class Spec>
BoundCalls bind_simple(const Target& target, const Spec& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0] = make_call(target, op, memory, [](const Call& call, std::int64_t begin, std::int64_t end) {
    run(call, spec_of<Spec>(call), begin, end);
  });
  const Split parts = Splits{*target.kernels}(op);
  split(target, bound.calls[0], parts.units, parts.work);
  return bound;
}

}  // namespace

void enter_elementwise(CallTable& table) {
  enter<AdvanceStep, AddBias, ColumnSum, Activate, ActivateGradient, Softmax, GlobalAveragePool, SlidingMean,
        GlobalAveragePoolGradient, Dropout, Loss, Square, SquareGradient, Fill>(
      table,
      [](const Target& target, const auto& op, const Memory& memory) { return bind_simple(target, op, memory); });
}

}  // namespace regatta::engine::cpu
