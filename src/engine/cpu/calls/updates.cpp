// The operations after the gradients: their mean over steps, the norm that clips them, the updates of parameters.
#include <cmath>

#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/families.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr double kUpdate = 16;  ///< cost of one parameter's update, in operations of kWorthSplitting

void scale(const Call& call, float* x, std::int64_t count, float factor) {
  kernels_of(call).spread(x, 1, count, factor, x);
}

// run(call, op, begin, end): units [begin, end) of one kind of operation.

void run(const Call& call, const AccumulateGradients& op, std::int64_t begin, std::int64_t end) {
  const float share = 1.0F / static_cast<float>(op.mean_of);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const Elements part = elements(op.count, unit, unit + 1);
    float* const gradients = out(call, 0) + part.begin;
    float* const sums = out(call, 1) + part.begin;
    if (op.mean_of == 0) {
      kernels_of(call).layers.add(sums, gradients, part.count);
    } else {
      kernels_of(call).layers.add(gradients, sums, part.count);
      scale(call, gradients, part.count, share);
      std::fill_n(sums, part.count, 0.0F);
    }
  }
}

/// Sum of squares, in chains of which each takes every eighth.
double sum_of_squares(const float* x, std::int64_t count) {
  constexpr std::int64_t kChains = 8;
  double sums[kChains] = {};
  std::int64_t i = 0;
  for (; i + kChains <= count; i += kChains) {
    for (std::int64_t chain = 0; chain < kChains; ++chain) {
      const double value = x[i + chain];
      sums[chain] += value * value;
    }
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(x[i]) * x[i];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

/// The sum of each unit's squares into scratch memory, whoever takes the unit.
void run_squares(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<ClipGradients>(call);
  auto* const squares = static_cast<double*>(call.operands[kScratch]);
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const Elements part = elements(op.count, unit, unit + 1);
    squares[unit] = sum_of_squares(in(call, 0) + part.begin, part.count);
  }
}

void run_scale(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  const auto& op = spec_of<ClipGradients>(call);
  const auto* const squares = static_cast<const double*>(call.operands[kScratch]);
  double sum = 0;
  for (std::int64_t unit = 0; unit < divide_up(op.count, kChunk); ++unit) sum += squares[unit];
  const double factor = op.clip_norm / (std::sqrt(sum) + 1e-6);
  static_cast<StepState*>(call.operands[1])->gradient_scale =
      factor >= 1 ? 1.0F : static_cast<float>(factor);  // NaN stays
}

void update(const Call& call, const SgdUpdate& op, const Elements& part) {
  const auto& state = *static_cast<const StepState*>(call.operands[3]);
  float* const velocity = op.momentum != 0 ? out(call, 2) + part.begin : nullptr;
  kernels_of(call).sgd(out(call, 0) + part.begin, in(call, 1) + part.begin, velocity, part.count, state.learning_rate,
                       op.momentum, op.weight_decay);
}

void update(const Call& call, const AdamUpdate& op, const Elements& part) {
  const auto& state = *static_cast<const StepState*>(call.operands[4]);
  const AdamFactors factors{.learning_rate = state.learning_rate,
                            .beta1 = static_cast<float>(op.beta1),
                            .beta2 = static_cast<float>(op.beta2),
                            .rest1 = static_cast<float>(1 - op.beta1),
                            .rest2 = static_cast<float>(1 - op.beta2),
                            .epsilon = op.epsilon,
                            .correction1 = state.correction1,
                            .correction2 = state.correction2,
                            .weight_decay = op.weight_decay};
  kernels_of(call).adam(out(call, 0) + part.begin, in(call, 1) + part.begin, out(call, 2) + part.begin,
                        out(call, 3) + part.begin, part.count, factors);
}

const StepState& state_of(const Call& call, const SgdUpdate&) {
  return *static_cast<const StepState*>(call.operands[3]);
}
const StepState& state_of(const Call& call, const AdamUpdate&) {
  return *static_cast<const StepState*>(call.operands[4]);
}

void run(const Call& call, const auto& op, std::int64_t begin, std::int64_t end) {
  if (!op.clips) return update(call, op, elements(op.count, begin, end));
  const float factor = state_of(call, op).gradient_scale;
  for (std::int64_t unit = begin; unit < end; ++unit) {  // the gradient is read where it was just scaled
    const Elements part = elements(op.count, unit, unit + 1);
    scale(call, out(call, 1) + part.begin, part.count, factor);
    update(call, op, part);
  }
}

double cost_of(const AdamUpdate&) { return kUpdate; }
double cost_of(const auto&) { return kElement; }

template <class Spec>
BoundCalls bind_units(const Target& target, const Spec& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0] = make_call(target, op, memory, [](const Call& call, std::int64_t begin, std::int64_t end) {
    run(call, spec_of<Spec>(call), begin, end);
  });
  split(target, bound.calls[0], divide_up(op.count, kChunk), cost_of(op) * static_cast<double>(kChunk));
  if constexpr (requires { op.clips; }) bound.calls[0].notes[kConsumes] = kChunk;
  return bound;
}

BoundCalls bind_clipping(const Target& target, const ClipGradients& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, run_squares);
  bound.calls[1] = make_call(target, op, memory, run_scale);
  split(target, bound.calls[0], divide_up(op.count, kChunk), kElement * static_cast<double>(kChunk));
  return bound;
}

}  // namespace

void enter_updates(CallTable& table) {
  enter<AccumulateGradients, SgdUpdate, AdamUpdate>(
      table, [](const Target& target, const auto& op, const Memory& memory) { return bind_units(target, op, memory); });
  enter<ClipGradients>(
      table,
      [](const Target& target, const auto& op, const Memory& memory) { return bind_clipping(target, op, memory); },
      [](const Target& /*target*/, const auto& op) {
        return divide_up(op.count, kChunk) * static_cast<std::int64_t>(sizeof(double));
      });
}

}  // namespace regatta::engine::cpu
