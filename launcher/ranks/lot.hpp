// How many blocks an agent hands to its worker at once: many that are quick, one that is not.
#pragma once

#include <algorithm>
#include <cstddef>

namespace regatta::launcher {

class LotSize {
 public:
  [[nodiscard]] std::size_t blocks() const { return blocks_; }

  /// After a lot of so many blocks: the next one takes about `lot_seconds`, and is at most twice as large. Whatever is
  /// unlike its neighbours may take long, so that what one lot took says little of the next.
  void took(std::size_t blocks, double seconds) {
    const double each_seconds = std::max(seconds / static_cast<double>(blocks), 1e-9);
    const auto affordable = static_cast<std::size_t>(std::min(lot_seconds / each_seconds, 1e6));
    blocks_ = std::clamp<std::size_t>(std::min(affordable, 2 * blocks), 1, most_blocks);
  }

 private:
  static constexpr double lot_seconds = 4e-3;
  static constexpr std::size_t most_blocks = 64;
  std::size_t blocks_ = 1;
};

}  // namespace regatta::launcher
