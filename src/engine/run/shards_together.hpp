// Shards that go on together, part by part: each keeps what it computed so far, so it has an executor of its own, and
// memory of its own for what the step gives.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "engine/run/executor.hpp"

namespace regatta::engine {

class ShardsTogether {
 public:
  /// Executor of a shard on buffers at these addresses.
  using MakeExecutor = std::function<std::unique_ptr<Executor>(const std::vector<void*>& addresses)>;

  /// `addresses` has those of each shard, in which the results of the step, and they alone, get places of their own.
  /// The program outlives this.
  ShardsTogether(const Program& program, std::vector<std::vector<void*>> addresses, const MakeExecutor& make_executor);

  /// The next part of a shard's step.
  void run(std::size_t shard, const Inputs& inputs) { executors_[shard]->run(inputs); }

  [[nodiscard]] const std::vector<void*>& addresses(std::size_t shard) const { return addresses_[shard]; }
  [[nodiscard]] std::int64_t temporary_bytes() const;
  [[nodiscard]] std::int64_t calls() const;

 private:
  struct alignas(kAlignment) Line {
    std::array<std::byte, kAlignment> bytes;
  };
  std::vector<std::vector<Line>> results_;  ///< buffer by buffer, shard by shard
  std::vector<std::vector<void*>> addresses_;
  std::vector<std::unique_ptr<Executor>> executors_;
};

}  // namespace regatta::engine
