#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"
#include "engine/cuda/kernels/parts.hpp"
#include "engine/cuda/kernels/sums.cuh"

namespace regatta::engine::cuda {

namespace {

void sum_rows(const Target& target, const SumOfRows& term, std::int64_t rows) {
  launch_sums(target, "column_sum", term, tiles_of_sums(term.x, term.sums, rows, term.columns));
}

void issue(const Target& target, const ColumnSum& op, const Memory& memory) {
  sum_rows(target, {floats_of(memory, 0), floats_of(memory, 1), op.columns, op.add_to_sums}, op.rows);
}

void issue(const Target& target, const SlidingMean& op, const Memory& memory) {
  const MeanOfPositions term{
      floats_of(memory, 0),        floats_of(memory, 1), op.length, op.channels, op.outputs, op.stride, op.pad,
      static_cast<float>(op.count)};
  launch_sums(target, "mean_of_positions", term, tiles_of(op.batch * op.outputs, op.count, op.channels, true));
}

void issue(const Target& target, const GlobalAveragePool& op, const Memory& memory) {
  issue(target,
        SlidingMean{.batch = op.batch,
                    .length = op.length,
                    .channels = op.channels,
                    .outputs = 1,
                    .count = op.length,
                    .stride = 1,
                    .pad = 0},
        memory);
}

void issue(const Target& target, const GlobalAveragePoolGradient& op, const Memory& memory) {
  const SpreadOverPositions spread{floats_of(memory, 0), floats_of(memory, 1), op.length, op.channels};
  const Tiles tiles = tiles_of(op.batch, op.length, op.channels, true);
  launch_rows(target, "spread_over_positions", spread, tiles);
}

}  // namespace

void sum_columns(const Target& target, const float* x, float* sums, std::int64_t rows, std::int64_t columns) {
  sum_rows(target, {x, sums, columns, false}, rows);
}

void enter_sums(IssueTable& table) {
  enter<ColumnSum, GlobalAveragePool, GlobalAveragePoolGradient, SlidingMean>(
      table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda
