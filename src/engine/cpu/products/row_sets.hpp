// Products of many sets of rows with one packed matrix: how a convolution visits its positions. Rows of
// one set read the same part of the sum; at the edges of the input parts are shorter.
#pragma once

#include <array>

#include "engine/cpu/calls/conv1d_ranges.hpp"
#include "engine/cpu/kernels/kernel_table.hpp"

namespace regatta::engine::cpu {

/// groups x rows of a and c. Strides count floats.
struct RowSet {
  std::int64_t groups, rows;
  const float* a;  ///< the first row, where `part` begins
  std::int64_t a_group, a_row;
  std::int64_t c;  ///< the first row, in floats from the beginning of c
  std::int64_t c_group, c_row;
  Range part;  ///< part of the sum; not empty
};

/// Collects sets until their rows fill a second-level cache together with the blocks of the sum that
/// they share, and multiplies them then: so each block of b is read once for many rows. No order of a
/// sum depends on what is collected together: blocks lie at multiples of one depth.
class RowSets {
 public:
  /// `product` has n, b, c and the epilogue; k counts the whole sum. `rows_at_once`: 0 leaves the choice to it.
  RowSets(const KernelTable& kernels, const GemmView& product, std::int64_t rows_at_once);
  ~RowSets() { multiply(); }
  RowSets(const RowSets&) = delete;
  RowSets& operator=(const RowSets&) = delete;

  /// Large sets are taken piece by piece.
  void add(const RowSet& set);

  /// Multiplies what has been collected.
  void multiply();

 private:
  void add_groups(RowSet set);
  void multiply(const RowSet& set, Range block) const;

  static constexpr std::size_t kSets = 32;
  const KernelTable& kernels_;
  GemmView product_;
  std::int64_t rows_at_once_;
  std::int64_t rows_ = 0;  ///< collected
  std::size_t count_ = 0;
  std::array<RowSet, kSets> sets_;
};

}  // namespace regatta::engine::cpu
