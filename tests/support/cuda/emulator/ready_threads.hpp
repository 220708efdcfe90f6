// The threads that could run, and which of them does.
#pragma once

#include <cstdint>
#include <vector>

#include "support/cuda/emulator/options.hpp"

namespace regatta::emulator {

/// A set of numbers below a limit.
class ReadyThreads {
 public:
  void clear(int limit) { words_.assign(static_cast<std::size_t>(limit + 63) / 64, 0); }
  void add(int number) { words_[static_cast<std::size_t>(number) / 64] |= bit(number); }

  /// Takes the first, the last or, by `draw`, any of them. -1: there is none.
  int take(Order order, std::uint64_t draw);

 private:
  static std::uint64_t bit(int number) { return std::uint64_t{1} << (number & 63); }
  [[nodiscard]] int first(std::size_t from) const;  ///< at or behind the word `from`
  [[nodiscard]] int last() const;
  [[nodiscard]] int any(std::uint64_t draw) const;

  std::vector<std::uint64_t> words_;
};

}  // namespace regatta::emulator
