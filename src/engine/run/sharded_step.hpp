// A training step in parts: the gradients of each shard, their sum over all shards of all ranks, one update. Moving
// moments move once in a step, to the mean of where each shard would have moved them. With statistics of the whole
// batch no shard is ahead of another one: all run up to each of those sums.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/run/executor.hpp"
#include "engine/run/optimizer_slices.hpp"
#include "engine/run/packed_weights.hpp"
#include "engine/run/shards_together.hpp"
#include "engine/run/statistic_sums.hpp"
#include "regatta/exchange/communicator.hpp"
#include "regatta/exchange/tree.hpp"

namespace regatta::engine {

class ShardedStep {
 public:
  using MakeExecutor = std::function<std::unique_ptr<Executor>(const ExecutorContext&)>;

  /// `program` is that of a shard; it, the storage, the backend and the slices outlive this. With slices this rank
  /// updates these alone; null: all parameters.
  ShardedStep(const Program& program, const Storage& storage, Backend& backend, const Settings& settings,
              const MakeExecutor& make_executor, OptimizerSlices* slices);
  ShardedStep(const ShardedStep&) = delete;
  ShardedStep& operator=(const ShardedStep&) = delete;

  /// Session::join.
  void join(exchange::Communicator& communicator, double patience_seconds);

  /// Inputs of the whole batch. With Settings::accumulate only some steps update; all exchange their gradients, so
  /// that what is accumulated has the same bits for any number of ranks.
  void run(const Inputs& inputs, bool updates);

  // What the last step gave.
  [[nodiscard]] float mean_loss() const { return mean_loss_; }
  [[nodiscard]] std::span<const float> sample_losses() const { return sample_losses_; }
  [[nodiscard]] std::span<const float> output() const { return output_; }

  /// Session::exposed_exchange_seconds.
  [[nodiscard]] double exposed_exchange_seconds() const { return exposed_exchange_seconds_; }

  [[nodiscard]] exchange::Arrivals take_arrivals();

  /// Gradients of all ranks, which updates read where they are, go to where those of one rank lie, clipped.
  void put_gradients_in_place() const;

  [[nodiscard]] std::int64_t temporary_bytes() const;
  [[nodiscard]] std::int64_t calls() const;

 private:
  /// A gradient in the flat arena, and its place among the exchanged tensors.
  struct Tensor {
    std::size_t begin, count;  // floats
  };

  template <class Place>
  [[nodiscard]] std::vector<void*> with_gradients(const Place& place) const;
  [[nodiscard]] std::unique_ptr<Executor> make_gradients(const std::vector<void*>& addresses);
  void run_shard(std::size_t shard, const Inputs& inputs);
  void go_together();
  void run_together(const Inputs& inputs);
  [[nodiscard]] const float* sum_of_gradient(std::size_t begin) const;
  void sum_statistic(std::size_t statistic);
  Inputs begin_shard(std::size_t shard, const Inputs& inputs);
  void end_shard(std::size_t shard, const std::vector<void*>& addresses);
  void add_loss(std::size_t shard, const float* mean_loss);
  void put_moments_back();
  void add_moments(std::size_t shard);
  void move_moments(const float* sums);
  void completed(std::span<const float> range);
  void hand_over(std::size_t end);
  void take_sums();
  void note_arrival(std::size_t bucket);
  void read_sums_in_place();
  void update_slices();
  /// Whether the shard writes its gradients where even leaves lie.
  [[nodiscard]] bool is_even(std::size_t shard) const { return !even_addresses_.empty() && shard % 2 == 0; }
  [[nodiscard]] const float* buffer(Role role, const std::vector<void*>& addresses) const;

  const Program& program_;
  const Storage& storage_;
  Backend& backend_;
  Settings settings_;  ///< a shard's
  std::size_t shards_, ranks_;
  StepParts parts_;
  std::optional<StepParts> waiting_parts_;  ///< steps that make no update
  std::vector<Tensor> tensors_;             ///< in the order in which backward completes them
  float* leaf_ = nullptr;                   ///< where the shard that runs writes its gradients
  float* gradients_ = nullptr;              ///< the flat arena
  std::size_t floats_ = 0;                  ///< in it
  void* step_state_ = nullptr;
  exchange::LeafSum sums_;
  exchange::LeafSum loss_sum_;
  std::vector<std::span<float>> moments_;  ///< moving ones, in the storage
  std::vector<float> moments_before_;      ///< the step, one behind the other
  std::vector<float> moments_after_;       ///< a shard, then their sums over shards
  exchange::LeafSum moment_sums_;
  MakeExecutor make_executor_;
  PackedWeights packed_;               ///< read by all shards of a step
  std::vector<void*> even_addresses_;  ///< buffers of shards 0, 2, ...
  OptimizerSlices* slices_;
  bool reads_sums_ = false;            ///< updates read the sums of all ranks where they are
  std::vector<void*> sums_addresses_;  ///< buffers of such an update
  Settings sums_settings_;             ///< that update's
  std::unique_ptr<Executor> count_, shard_gradients_, even_gradients_, update_;
  std::optional<StatisticSums> statistics_;  ///< where any are of the whole batch; then ...
  std::optional<ShardsTogether> together_;   ///< ... this is in place of the executors of shards
  mutable bool is_in_place_ = true;          ///< the last step's gradients lie in the flat arena
  mutable bool is_clipped_ = true;           ///< all of them
  std::unique_ptr<Executor> waiting_count_, waiting_update_;
  exchange::Communicator* communicator_ = nullptr;
  exchange::Arena arena_;  ///< the communicator's, without what is awaited in the middle of a step
  double patience_seconds_ = 0;
  double exposed_exchange_seconds_ = 0;
  exchange::Arrivals arrivals_;
  std::vector<std::int64_t> ready_ns_;  ///< by rank, of the bucket that was waited for last
  std::size_t shard_ = 0;               ///< that runs
  std::size_t taken_ = 0;               ///< floats of the arena that the sums have of it
  std::size_t next_ = 0;                ///< tensor to be handed over next
  float mean_loss_ = 0;
  std::vector<float> sample_losses_;
  std::vector<float> output_;
};

}  // namespace regatta::engine
