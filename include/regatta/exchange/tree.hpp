// Sums in the order of one fixed binary tree, so that they have the same bits however its leaves are spread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace regatta::exchange {

/// out[i] = the sum of parts[p][i] over p, as ((p0 + p1) + (p2 + p3)) + ...; at most 64 parts, a power of two.
/// `out` may be one of the parts, and overlaps none of them else. Whether all of them are finite numbers.
bool tree_sum(float* out, std::span<const float* const> parts, std::size_t count);

/// Sums leaves that come one after the other, in the tree's order, with as many buffers as the tree is deep.
class LeafSum {
 public:
  /// Leaves of `count` elements. Throws InternalError unless there are 1, 2, 4, ... 64 of them.
  LeafSum(std::size_t count, std::size_t leaves);

  /// Elements [begin, end) of a leaf, which lies from `leaf` on; of each range leaf 0 is taken first, then 1, and so
  /// on. With the last one their sums are there: they are written to `out`, the one of `begin` first. That may be where
  /// the leaf has them.
  void take(std::size_t index, const float* leaf, std::size_t begin, std::size_t end, float* out);

  /// Where leaf 0, 2, 4, ... may lie before it is taken, so that nothing copies it; null for one leaf.
  [[nodiscard]] float* place_of_even_leaves() { return waiting_.empty() ? nullptr : floats_of(waiting_.front()); }

 private:
  struct alignas(64) Line {
    float floats[16];
  };
  using Lines = std::vector<Line>;
  static float* floats_of(Lines& lines) { return reinterpret_cast<float*>(lines.data()); }

  std::size_t leaves_;
  std::vector<Lines> waiting_;  ///< [i]: the sum of 2^i leaves
};

}  // namespace regatta::exchange
