#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/pools.cuh"

namespace regatta::engine::cuda {

namespace {

/// `rows` and `columns` of windows in a sample.
Windows windows_of(const PoolShape& shape, std::int64_t rows, std::int64_t columns) {
  require_indices("pool", shape.input_size());
  return {.rows = index_of(shape.rows),
          .columns = index_of(shape.columns),
          .channels = index_of(shape.channels),
          .window_rows = index_of(shape.window_rows),
          .window_columns = index_of(shape.window_columns),
          .out_rows = index_of(shape.out_rows),
          .out_columns = index_of(shape.out_columns),
          .by_channels = divider_of(shape.channels),
          .across = divider_of(columns),
          .down = divider_of(rows)};
}

/// Windows that are pooled.
Windows whole_windows(const PoolShape& shape) { return windows_of(shape, shape.out_rows, shape.out_columns); }

/// These and the cut ones, so that each element of x lies in one.
Windows all_windows(const PoolShape& shape) {
  return windows_of(shape, divide_up(shape.rows, shape.window_rows), divide_up(shape.columns, shape.window_columns));
}

template <class Op>
void launch_windows(const Target& target, const char* name, const Op& op, std::int64_t batch,
                    std::initializer_list<const void*> places) {
  const std::int64_t windows = batch * op.windows.down.divisor * op.windows.across.divisor;
  const bool packs = op.windows.channels % 4 == 0 && take_packs(places);
  launch_elements(target, name, op, windows * op.windows.channels, packs);
}

void issue(const Target& target, const MaxPool& op, const Memory& memory) {
  const LargestOfWindows pool{whole_windows(op.shape), floats_of(memory, 0), floats_of(memory, 1)};
  launch_windows(target, "max_pool", pool, op.shape.batch, {pool.x, pool.y});
}

void issue(const Target& target, const MaxPoolGradient& op, const Memory& memory) {
  const LargestOfWindowsGradient pool{all_windows(op.shape), floats_of(memory, 0), floats_of(memory, 1),
                                      floats_of(memory, 3),  floats_of(memory, 4), floats_of(memory, 2),
                                      op.derivative};
  launch_windows(target, "max_pool_gradient", pool, op.shape.batch, {pool.dy, pool.x, pool.y, pool.saved, pool.dx});
}

void issue(const Target& target, const AveragePool& op, const Memory& memory) {
  const MeanOfWindows pool{whole_windows(op.shape), floats_of(memory, 0), floats_of(memory, 1)};
  launch_windows(target, "average_pool", pool, op.shape.batch, {pool.x, pool.y});
}

void issue(const Target& target, const AveragePoolGradient& op, const Memory& memory) {
  const MeanOfWindowsGradient pool{all_windows(op.shape), floats_of(memory, 0), floats_of(memory, 4),
                                   floats_of(memory, 2), op.derivative};
  launch_windows(target, "average_pool_gradient", pool, op.shape.batch, {pool.dy, pool.saved, pool.dx});
}

}  // namespace

void enter_pools(IssueTable& table) {
  enter<MaxPool, MaxPoolGradient, AveragePool, AveragePoolGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda
