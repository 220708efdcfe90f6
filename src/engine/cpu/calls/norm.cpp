// Normalization: over the batch the units are panels of columns, over a row they are rows. The parameters'
// gradients are sums over all rows, so layer_norm's come from a call of their own, by columns.
#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/families.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr double kElement = 16;  // cost of one, in operations of kWorthSplitting

std::int64_t groups_of(const BatchNorm& op) { return op.columns; }
std::int64_t groups_of(const BatchNormGradient& op) { return op.columns; }
std::int64_t groups_of(const BatchNormInputGradient& op) { return op.columns; }
std::int64_t groups_of(const LayerNorm& op) { return op.rows; }
std::int64_t groups_of(const LayerNormGradient& op) { return op.rows; }

template <class Spec>
NormView forward_view(const Call& call, const Spec& op) {
  NormView view{};
  view.rows = op.rows;
  view.columns = op.columns;
  view.x = in(call, 0);
  view.y = out(call, 1);
  view.gamma = in(call, 2);
  view.beta = in(call, 3);
  view.mean = out(call, 4);
  view.scale = out(call, 4) + groups_of(op);
  return view;
}

bool wants_input_gradient(const BatchNormInputGradient& /*op*/) { return true; }
bool wants_input_gradient(const auto& op) { return op.input_gradient; }

template <class Spec>
NormView gradient_view(const Call& call, const Spec& op) {
  NormView view{};
  view.rows = op.rows;
  view.columns = op.columns;
  view.dy = in(call, 0);
  view.x = in(call, 1);
  view.dx = wants_input_gradient(op) ? out(call, 2) : nullptr;
  view.gamma = in(call, 3);
  view.mean = out(call, 4);
  view.scale = out(call, 4) + groups_of(op);
  view.dgamma = out(call, 5);
  view.dbeta = out(call, 6);
  return view;
}

/// Panels [begin, end) as columns.
void take_columns(const Call& call, NormView& view, std::int64_t begin, std::int64_t end) {
  const std::int64_t panel = kernels_of(call).panel;
  view.begin = begin * panel;
  view.end = std::min(view.columns, end * panel);
}

void launch_batch_norm(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<BatchNorm>(call);
  NormView view = forward_view(call, op);
  view.fixed_moments = op.fixed_moments;
  view.given_moments = op.given_moments;
  view.epsilon = op.epsilon;
  view.moving_mean = op.moving_moments ? out(call, 5) : nullptr;
  view.moving_variance = op.moving_moments ? out(call, 5) + op.columns : nullptr;
  if (op.moves())
    view.moving_share = moving_share(op.smallest_share, static_cast<const StepState*>(call.operands[6])->step);
  take_columns(call, view, begin, end);
  kernels_of(call).layers.batch_norm(view);
}

void launch_batch_norm_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  NormView view = gradient_view(call, spec_of<BatchNormGradient>(call));
  take_columns(call, view, begin, end);
  kernels_of(call).layers.batch_norm_gradient(view);
}

void launch_batch_norm_input_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  NormView view = gradient_view(call, spec_of<BatchNormInputGradient>(call));
  take_columns(call, view, begin, end);
  kernels_of(call).layers.batch_norm_input_gradient(view);
}

void launch_batch_sums(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<BatchSums>(call);
  NormView view{};
  view.rows = op.rows;
  view.columns = op.columns;
  view.x = in(call, 0);
  view.sums = out(call, 1);
  take_columns(call, view, begin, end);
  if (!op.squares) return kernels_of(call).layers.batch_sums(view);
  view.mean = out(call, 2);
  kernels_of(call).layers.batch_squares(view);
}

void launch_layer_norm(const Call& call, std::int64_t begin, std::int64_t end) {
  NormView view = forward_view(call, spec_of<LayerNorm>(call));
  view.begin = begin;
  view.end = end;
  kernels_of(call).layers.layer_norm(view);
}

void launch_layer_norm_gradient(const Call& call, std::int64_t begin, std::int64_t end) {
  NormView view = gradient_view(call, spec_of<LayerNormGradient>(call));
  view.begin = begin;
  view.end = end;
  kernels_of(call).layers.layer_norm_gradient(view);
}

void launch_layer_norm_parameters(const Call& call, std::int64_t begin, std::int64_t end) {
  NormView view = gradient_view(call, spec_of<LayerNormGradient>(call));
  take_columns(call, view, begin, end);
  kernels_of(call).layers.layer_norm_parameters(view);
}

template <class Spec>
void add_by_columns(const Target& target, BoundCalls& bound, const Spec& op, const Memory& memory, Launch launch) {
  Call& call = bound.calls[static_cast<std::size_t>(bound.count++)];
  call = make_call(target, op, memory, launch);
  const std::int64_t panel = target.kernels->panel;
  split(target, call, divide_up(op.columns, panel), kElement * static_cast<double>(op.rows * panel));
}

template <class Spec>
void add_by_rows(const Target& target, BoundCalls& bound, const Spec& op, const Memory& memory, Launch launch) {
  Call& call = bound.calls[static_cast<std::size_t>(bound.count++)];
  call = make_call(target, op, memory, launch);
  split(target, call, op.rows, kElement * static_cast<double>(op.columns));
}

BoundCalls bind_norm(const Target& target, const BatchNorm& op, const Memory& memory) {
  BoundCalls bound;
  add_by_columns(target, bound, op, memory, launch_batch_norm);
  return bound;
}

BoundCalls bind_norm(const Target& target, const BatchNormGradient& op, const Memory& memory) {
  BoundCalls bound;
  add_by_columns(target, bound, op, memory, launch_batch_norm_gradient);
  return bound;
}

BoundCalls bind_norm(const Target& target, const BatchNormInputGradient& op, const Memory& memory) {
  BoundCalls bound;
  add_by_columns(target, bound, op, memory, launch_batch_norm_input_gradient);
  return bound;
}

BoundCalls bind_norm(const Target& target, const BatchSums& op, const Memory& memory) {
  BoundCalls bound;
  add_by_columns(target, bound, op, memory, launch_batch_sums);
  return bound;
}

BoundCalls bind_norm(const Target& target, const LayerNorm& op, const Memory& memory) {
  BoundCalls bound;
  add_by_rows(target, bound, op, memory, launch_layer_norm);
  return bound;
}

BoundCalls bind_norm(const Target& target, const LayerNormGradient& op, const Memory& memory) {
  BoundCalls bound;
  if (op.input_gradient) add_by_rows(target, bound, op, memory, launch_layer_norm_gradient);
  add_by_columns(target, bound, op, memory, launch_layer_norm_parameters);
  return bound;
}

}  // namespace

void enter_norms(CallTable& table) {
  enter<BatchNorm, BatchNormGradient, BatchNormInputGradient, BatchSums, LayerNorm, LayerNormGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { return bind_norm(target, op, memory); });
}

}  // namespace regatta::engine::cpu
