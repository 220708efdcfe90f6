// The sums over the whole batch for which the parts of a step wait: shards are added in the tree's order, then ranks.
// Every shard reads their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/ir/program.hpp"
#include "engine/run/storage.hpp"
#include "regatta/exchange/communicator.hpp"
#include "regatta/exchange/tree.hpp"

namespace regatta::engine {

class StatisticSums {
 public:
  /// Sums the statistics that Program::statistics lists; program and storage outlive this.
  StatisticSums(const Program& program, const Storage& storage, std::size_t shards);

  /// How many a step has: it has one part more.
  [[nodiscard]] std::size_t count() const { return sums_.size(); }

  /// Where the sum of a gradient over shards is, by its place in the flat arena, in floats.
  using SumOfGradient = std::function<const float*(std::size_t begin)>;

  /// Adds a shard's part to a statistic, after the shard has run the part of the step before it. Shard 0 comes first,
  /// then 1, and so on. Gradients are summed already, and are asked for with the last shard.
  void take(std::size_t statistic, std::size_t shard, const SumOfGradient& sum_of_gradient);

  /// After its last shard: sums over all ranks. Throws exchange::ExchangeFailed. Without it the shards are the batch.
  void exchange(std::size_t statistic, exchange::Communicator& communicator, double patience_seconds);

  /// Writes what the operations after it read, of sums over so many shards, and moves moving moments.
  void finish(std::size_t statistic, std::size_t shards);

 private:
  [[nodiscard]] float* floats(BufferIndex buffer) const;
  void take_gradients(const BatchStatistic& statistic, const SumOfGradient& sum_of_gradient);

  const Program& program_;
  const Storage& storage_;
  std::size_t shards_;
  std::vector<exchange::LeafSum> sums_;  ///< for each statistic, over shards
  std::vector<float> gathered_;          ///< sums, then means
};

}  // namespace regatta::engine
