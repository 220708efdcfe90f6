// Sums in the order of one fixed binary tree, so that they have the same bits however its leaves are spread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace regatta::exchange {

/// out[i] = the sum of parts[p][i] over p, as ((p0 + p1) + (p2 + p3)) + ...; at most 64 parts, a power of two.
/// `out` may be one of the parts, and overlaps none of them else.
void tree_sum(float* out, std::span<const float* const> parts, std::size_t count);

/// Sums leaves that come one after the other, in the tree's order, with as many buffers as the tree is deep.
class LeafSum {
 public:
  explicit LeafSum(std::size_t count) : count_(count) {}

  /// Where the next leaf is written.
  std::span<float> leaf();
  /// It is.
  void add();
  /// The sum of 1, 2, 4, ... leaves. Throws InternalError for any other number of them.
  [[nodiscard]] std::span<const float> sum() const;
  void clear() { leaves_ = 0; }

 private:
  std::size_t count_;
  std::size_t leaves_ = 0;
  std::vector<std::vector<float>> waiting_;  ///< one for each 1 in the number of leaves, and the next leaf
};

}  // namespace regatta::exchange
