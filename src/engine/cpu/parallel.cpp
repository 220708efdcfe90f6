#include "engine/cpu/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace regatta::engine::cpu {

struct Parallel::Arena {
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)), tasks(threads) {}

  tbb::global_control limit;  ///< as many threads as were asked for, also where the machine has fewer cores
  tbb::task_arena tasks;
};

Parallel::Parallel(int threads) : arena_(std::make_unique<Arena>(threads)) {}

Parallel::~Parallel() = default;

void Parallel::run(const Call& call) {
  arena_->tasks.execute([&call] {
    const tbb::blocked_range<std::int64_t> units(0, call.units, static_cast<std::size_t>(call.grain));
    tbb::parallel_for(
        units, [&call](const auto& range) { call.launch(call, range.begin(), range.end()); },
        tbb::simple_partitioner());
  });
}

}  // namespace regatta::engine::cpu
