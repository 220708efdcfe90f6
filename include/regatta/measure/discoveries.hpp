// The differences that an agent has found so far: each makes the next one easier to believe (measuring.md R12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/sweep/family.hpp"

namespace regatta::measure {

class Discoveries {
 public:
  /// A contrast of this block has ended as a difference.
  void add(BlockIndex block, const sweep::Family& family);

  /// The block is measured again.
  void forget(BlockIndex block);

  [[nodiscard]] std::size_t all() const { return all_; }
  [[nodiscard]] std::size_t of(const sweep::Family& family) const;

 private:
  std::map<BlockIndex, std::vector<std::uint32_t>> of_block_;  ///< numbers of their families
  std::map<std::uint32_t, std::size_t> of_family_;
  std::size_t all_ = 0;
};

}  // namespace regatta::measure
