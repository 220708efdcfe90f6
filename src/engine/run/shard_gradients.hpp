// The gradients of the shards of a training step, and their sum over all shards of this rank in the order of one tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/run/packed_weights.hpp"
#include "engine/run/rank_exchange.hpp"
#include "engine/run/shards_together.hpp"
#include "engine/run/step.hpp"
#include "regatta/exchange/tree.hpp"

namespace regatta::engine {

class ShardGradients {
 public:
  /// `program` is StepParts::gradients of the context's program, which is that of a shard. Throws std::bad_alloc.
  ShardGradients(const StepContext& context, Program program);
  ShardGradients(const ShardGradients&) = delete;
  ShardGradients& operator=(const ShardGradients&) = delete;

  /// From the next step on the sums over shards go to the other ranks, not to the flat arena. The exchange outlives
  /// this.
  void join(RankExchange& exchange) { exchange_ = &exchange; }

  /// Copies weights to the panels that products of all shards read. Comes before a step's first shard.
  void pack() { packed_.pack(); }

  /// Runs a shard's part of the step, or the next one of several, and adds the gradients that it writes to the sum over
  /// shards. `inputs` are those of all shards. The shard's earlier parts have written floats [0, begin) of the flat
  /// arena. Returns where the written floats end now; with the last part that is the arena's end.
  std::size_t run(std::size_t shard, const Inputs& inputs, std::size_t begin, bool is_last_part);

  /// Returns the addresses of the buffers that the shard writes its results to.
  [[nodiscard]] const std::vector<void*>& addresses(std::size_t shard) const {
    return together_ ? together_->addresses(shard) : context_.storage.addresses();
  }

  /// Returns the flat arena of gradients; null if there are no parameters.
  [[nodiscard]] float* flat() const { return flat_; }
  /// Returns the sum of a gradient over shards, once the last shard has written it. `begin` is its first float in the
  /// flat arena.
  [[nodiscard]] const float* sum(std::size_t begin) const {
    return exchange_ == nullptr ? flat_ + begin : exchange_->given_gradient(begin);
  }

  [[nodiscard]] std::int64_t temporary_bytes() const;
  [[nodiscard]] std::int64_t calls() const;

 private:
  /// The shard that runs.
  struct Running {
    std::size_t shard = 0;
    float* leaf = nullptr;    ///< where it writes its gradients
    std::size_t written = 0;  ///< floats that are part of the sum over shards
  };

  [[nodiscard]] std::unique_ptr<Executor> make_executor_on(const std::vector<void*>& addresses);
  void make_executors();
  [[nodiscard]] Inputs begin_shard(std::size_t shard, const Inputs& inputs);
  void completed(std::span<const float> range);
  /// Whether the shard writes its gradients where leaves 0, 2, ... of the tree lie, so that nothing copies them.
  [[nodiscard]] bool is_even(std::size_t shard) const { return !even_addresses_.empty() && shard % 2 == 0; }

  const StepContext context_;
  const Program program_;
  Settings settings_;  ///< a shard's, with this as the listener to its gradients
  const std::size_t shards_;
  const std::size_t floats_;  ///< in the flat arena
  float* const flat_;
  std::byte* const step_state_;  ///< null if the program counts no steps
  exchange::LeafSum sums_;
  PackedWeights packed_;
  std::vector<void*> even_addresses_;                   ///< the buffers of shards 0, 2, ...; empty for one shard
  std::unique_ptr<Executor> executor_, even_executor_;  ///< for shards that come one after the other
  std::optional<ShardsTogether> together_;  ///< in place of both, where shards wait for statistics of the batch
  RankExchange* exchange_ = nullptr;        ///< null while this rank's sums are its own
  Running running_;
};

}  // namespace regatta::engine
