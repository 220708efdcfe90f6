// The exchange of one rank with the others in a training step on processors: it gives sums over its own shards, bucket
// by bucket while backward goes on, and takes the sums over all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/ir/program.hpp"
#include "engine/run/statistic_sums.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/exchange/arrivals.hpp"
#include "regatta/exchange/communicator.hpp"
#include "regatta/exchange/tree.hpp"

namespace regatta::engine {

/// Lays out the arena of exchange_arena() for the program of a shard.
exchange::Arena arena_of(const Program& program, const Settings& settings);

class RankExchange {
 public:
  /// `program` is that of a shard; it and the communicator outlive this. Throws InternalError unless the communicator's
  /// arena has the tensors of arena_of().
  RankExchange(const Program& program, exchange::Communicator& communicator, double patience_seconds);
  RankExchange(const RankExchange&) = delete;
  RankExchange& operator=(const RankExchange&) = delete;

  [[nodiscard]] std::size_t ranks() const { return arena_.ranks; }
  [[nodiscard]] exchange::Communicator& communicator() const { return communicator_; }
  [[nodiscard]] double patience_seconds() const { return patience_seconds_; }

  /// Begins a step, before its first gradient is given.
  void begin_step();

  // This rank gives its sums in the order of a step. A bucket goes to the other ranks as soon as all of it is written.

  /// Adds the gradients of the last shard to `sums`, and writes the sums over this rank's shards to where the other
  /// ranks read them. The shard's flat arena begins at `leaf`, and backward has completed floats [0, end) of it.
  void give_gradients(exchange::LeafSum& sums, std::size_t last_shard, const float* leaf, std::size_t end);
  /// Gives the sums of the moving moments over this rank's shards. Comes after the gradients.
  void give_moments(std::span<const float> sums);
  /// Gives the sum of the shards' mean losses, which comes last.
  void give_loss(float sum);
  /// Returns the sum of a gradient over this rank's shards. `begin` is its first float in the flat arena.
  [[nodiscard]] const float* given_gradient(std::size_t begin) const;

  // This rank takes the sums over all ranks in the order of a step. Each function waits for the other ranks, and throws
  // exchange::ExchangeFailed if one does not come.

  /// Sums a statistic of the batch over all ranks, in the middle of the step.
  void sum_statistic(StatisticSums& statistics, std::size_t statistic);
  /// Copies the sums of all gradients to the flat arena, each once its bucket is there.
  void take_gradients(float* flat);
  /// Returns the sums of the moving moments, one behind the other.
  [[nodiscard]] const float* moments() { return wait_for(gradients_.size()); }
  /// Returns the sum of the mean losses of all shards of all ranks. With it all buckets are there.
  [[nodiscard]] float loss() { return *wait_for(arena_.tensors.size() - 1); }

  // The communicator keeps the sums of gradients from the end of a step to the first gradient of the next one.

  /// Returns where the sum of a gradient over all ranks lies. `begin` is its first float in the flat arena.
  [[nodiscard]] float* sum_of_gradient(std::size_t begin) const;
  /// Copies the sums of all gradients to the flat arena.
  void copy_gradients(float* flat) const;
  /// Whether gradients lie one behind the other as in the flat arena: there are no gaps between buckets.
  [[nodiscard]] bool has_one_bucket() const { return arena_.bucket_of.front() == arena_.bucket_of.back(); }

  /// Runs `wait`, and adds the time that it takes to exposed_seconds().
  template <class Wait>
  void expose(const Wait& wait) {
    const double begin_seconds = steady_seconds();
    wait();
    exposed_seconds_ += steady_seconds() - begin_seconds;
  }
  /// Returns the time that all steps so far spent between their own gradients and the sums of all ranks.
  [[nodiscard]] double exposed_seconds() const { return exposed_seconds_; }

  /// Returns how the ranks came to the buckets of the steps since the last call.
  [[nodiscard]] exchange::Arrivals take_arrivals();

 private:
  /// A gradient in the flat arena, in floats.
  struct Gradient {
    std::size_t begin, count;
  };

  [[nodiscard]] std::size_t tensor_of(std::size_t begin) const;
  [[nodiscard]] float* own(std::size_t tensor) const {
    return communicator_.gradients().data() + arena_.tensors[tensor];
  }
  [[nodiscard]] const float* sum(std::size_t tensor) const {
    return communicator_.sums().data() + arena_.tensors[tensor];
  }
  [[nodiscard]] const float* wait_for(std::size_t tensor);
  void tell_if_ready(std::size_t tensor);
  void note_arrival(std::size_t bucket);

  exchange::Communicator& communicator_;
  double patience_seconds_;
  exchange::Arena arena_;            ///< the communicator's, without the tensors that statistics are summed in
  std::vector<Gradient> gradients_;  ///< the first tensors of `arena_`, in the order in which backward completes them
  std::size_t next_gradient_ = 0;    ///< to be given next, in this step
  std::size_t next_bucket_ = 0;      ///< to be waited for next, in this step
  double exposed_seconds_ = 0;
  exchange::Arrivals arrivals_;
  std::vector<std::int64_t> ready_ns_;  ///< by rank, of the bucket that was waited for last
};

}  // namespace regatta::engine
