#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "engine/cpu/calls/calls.hpp"
#include "engine/cpu/cpu.hpp"

namespace regatta::engine::cpu {

struct Parallel::Arena {
  tbb::task_arena tasks;
};

Parallel::Parallel(int threads) : arena_(new Arena{tbb::task_arena(threads)}) {}

Parallel::~Parallel() = default;

void Parallel::run(const Call& call) {
  arena_->tasks.execute([&call] {
    const tbb::blocked_range<std::int64_t> units(0, call.units, static_cast<std::size_t>(call.notes[kGrain]));
    tbb::parallel_for(
        units,
        [&call](const auto& range) {
          const FlushDenormals flush;
          call.launch(call, range.begin(), range.end());
        },
        tbb::simple_partitioner());
  });
}

}  // namespace regatta::engine::cpu
