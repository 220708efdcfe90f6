// Weights in the panels that products read, copied once in a step for all of its shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// Executors of the same program ask for the same places; it outlives them, and the one that asked first is there as
/// long as pack() is called.
class PackedWeights {
 public:
  explicit PackedWeights(Backend& backend) : backend_(backend) {}
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  /// Where the operation at a place of the program has its panels. Throws std::bad_alloc.
  void* panels(std::size_t place, std::int64_t bytes);

  /// Where they were asked for; null: nowhere.
  [[nodiscard]] void* find(std::size_t place) const;

  /// The call that fills them; it is kept if it is the first for its place.
  void add(std::size_t place, const Call& pack);

  /// Fills all panels from the weights as they are now.
  void pack();

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t calls() const { return std::ssize(calls_); }

 private:
  struct Release {
    Backend* backend;
    void operator()(void* memory) const { backend->release(memory); }
  };

  Backend& backend_;
  std::map<std::size_t, std::unique_ptr<void, Release>> panels_;
  std::map<std::size_t, Call> calls_;
  std::unique_ptr<Recording> recording_;
  std::int64_t bytes_ = 0;
};

}  // namespace regatta::engine
