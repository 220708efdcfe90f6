// The memory of a program that outlives a step: parameters, gradients, moments, results.
#pragma once

#include <span>

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine {

class Storage {
 public:
  /// Without `has_moments` those of the optimizer are kept elsewhere. Throws std::bad_alloc.
  Storage(const Program& program, Backend& backend, bool has_moments);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Memory of each buffer; null for temporaries, inputs and what is kept elsewhere.
  [[nodiscard]] const std::vector<void*>& addresses() const { return addresses_; }

  /// Zeroes gradients, their sums, moments and results; the step count and the learning rate are the program's again.
  void clear_state();

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  Backend& backend_;
  float learning_rate_;
  struct Block {
    void* memory;
    std::int64_t bytes;
    Role role;
  };
  std::vector<Block> blocks_;
  std::vector<void*> addresses_;
  std::int64_t bytes_ = 0;
};

}  // namespace regatta::engine
