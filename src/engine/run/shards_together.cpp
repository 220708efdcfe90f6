#include "engine/run/shards_together.hpp"

#include <utility>

#include "engine/ir/ir.hpp"

namespace regatta::engine {

namespace {

bool is_result(Role role) { return role == Role::output || role == Role::sample_losses || role == Role::mean_loss; }

}  // namespace

ShardsTogether::ShardsTogether(const Program& program, std::vector<std::vector<void*>> addresses,
                               const MakeExecutor& make_executor)
    : addresses_(std::move(addresses)) {
  for (std::vector<void*>& of_shard : addresses_) {
    for (std::size_t i = 0; i < of_shard.size(); ++i) {
      if (!is_result(program.buffers[i].role)) continue;
      results_.emplace_back(static_cast<std::size_t>(aligned(program.buffers[i].bytes) / kAlignment));
      of_shard[i] = results_.back().data();
    }
  }
  for (const std::vector<void*>& of_shard : addresses_) executors_.push_back(make_executor(of_shard));
}

std::int64_t ShardsTogether::temporary_bytes() const {
  std::int64_t bytes = 0;
  for (const std::vector<Line>& result : results_) bytes += std::ssize(result) * kAlignment;
  for (const auto& executor : executors_) bytes += executor->temporary_bytes();
  return bytes;
}

std::int64_t ShardsTogether::calls() const { return executors_.front()->calls(); }

}  // namespace regatta::engine
