#include "engine/cuda/kernels/embedding.cuh"
#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"

namespace regatta::engine::cuda {

namespace {

const std::int32_t* indices_of(const Memory& memory) { return static_cast<const std::int32_t*>(memory[0]); }

void issue(const Target& target, const Embedding& op, const Memory& memory) {
  const TakeRows take{indices_of(memory), floats_of(memory, 1), floats_of(memory, 2), op.units};
  launch_rows(target, "embedding", take, tiles_of(1, op.rows, op.units, take_packs({take.kernel, take.y})));
}

void issue(const Target& target, const EmbeddingGradient& op, const Memory& memory) {
  if (op.vocabulary * op.units == 0) return;
  const Grid grid{blocks_of(divide_up(op.vocabulary, kTableRows), divide_up(op.units, kWarp)), dim3(kThreads)};
  launch(target, "embedding_gradient", grid, embedding_gradient, indices_of(memory), floats_of(memory, 1),
         floats_of(memory, 2), op.rows, op.vocabulary, op.units);
}

}  // namespace

void enter_embedding(IssueTable& table) {
  enter<Embedding, EmbeddingGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda
