// Pooling: units are rows of output, each with the rows of input that its windows cover. What no window
// covers gets no gradient; the last unit of an image clears the rows left over below it.
#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/families.hpp"

namespace regatta::engine::cpu {

namespace {

struct Place {
  std::int64_t in, out;  ///< offsets of the unit's first input and output
};

Place place_of(const PoolShape& s, std::int64_t unit) {
  const std::int64_t image = unit / s.out_rows;
  const std::int64_t row = unit % s.out_rows;
  return {(image * s.rows + row * s.window_rows) * s.columns * s.channels, unit * s.out_columns * s.channels};
}

float share(const PoolShape& s) { return 1.0F / static_cast<float>(s.window_rows * s.window_columns); }

PoolView view_of(const Call& call, const PoolShape& s, std::int64_t unit) {
  const Place place = place_of(s, unit);
  return {in(call, 0) + place.in,  s.columns * s.channels, s.window_rows, s.window_columns, s.out_columns, s.channels,
          out(call, 1) + place.out};
}

void pool_row(const Call& call, const MaxPool& op, std::int64_t unit) {
  kernels_of(call).layers.max_pool(view_of(call, op.shape, unit));
}

void pool_row(const Call& call, const AveragePool& op, std::int64_t unit) {
  kernels_of(call).layers.average_pool(view_of(call, op.shape, unit), share(op.shape));
}

PoolGradientView gradient_view(const Call& call, const PoolShape& s, std::int64_t unit) {
  const Place place = place_of(s, unit);
  return {.dy = in(call, 0) + place.out,
          .x = nullptr,
          .y = nullptr,
          .dx = out(call, 2) + place.in,
          .x_row = s.columns * s.channels,
          .rows = s.window_rows,
          .columns = s.window_columns,
          .windows = s.out_columns,
          .channels = s.channels};
}

/// What is left over in the unit's rows, then the derivative of the activation before the pooling.
void finish(const Call& call, const PoolShape& s, Activation derivative, std::int64_t unit) {
  const Place place = place_of(s, unit);
  const std::int64_t row = s.columns * s.channels;
  const std::int64_t covered = s.out_columns * s.window_columns * s.channels;
  const bool last = unit % s.out_rows == s.out_rows - 1;
  const std::int64_t rows = last ? s.rows - (s.out_rows - 1) * s.window_rows : s.window_rows;
  float* const dx = out(call, 2) + place.in;
  for (std::int64_t i = 0; i < s.window_rows; ++i) std::fill_n(dx + i * row + covered, row - covered, 0.0F);
  std::fill_n(dx + s.window_rows * row, (rows - s.window_rows) * row, 0.0F);
  if (derivative == Activation::none) return;
  kernels_of(call).activate_gradient(derivative, dx, in(call, 4) + place.in, rows * row);
}

void pool_row(const Call& call, const MaxPoolGradient& op, std::int64_t unit) {
  const Place place = place_of(op.shape, unit);
  PoolGradientView view = gradient_view(call, op.shape, unit);
  view.x = in(call, 1) + place.in;
  view.y = in(call, 3) + place.out;
  kernels_of(call).layers.max_pool_gradient(view);
  finish(call, op.shape, op.derivative, unit);
}

void pool_row(const Call& call, const AveragePoolGradient& op, std::int64_t unit) {
  kernels_of(call).layers.average_pool_gradient(gradient_view(call, op.shape, unit), share(op.shape));
  finish(call, op.shape, op.derivative, unit);
}

template <class Spec>
BoundCalls bind_rows(const Target& target, const Spec& op, const Memory& memory) {
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0] = make_call(target, op, memory, [](const Call& call, std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) pool_row(call, spec_of<Spec>(call), unit);
  });
  const PoolShape& s = op.shape;
  constexpr double kElement = 4;  // streaming one, in operations of kWorthSplitting
  split(target, bound.calls[0], s.batch * s.out_rows,
        kElement * static_cast<double>(s.window_rows * s.columns * s.channels));
  return bound;
}

}  // namespace

void enter_pools(CallTable& table) {
  enter<MaxPool, MaxPoolGradient, AveragePool, AveragePoolGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { return bind_rows(target, op, memory); });
}

}  // namespace regatta::engine::cpu
