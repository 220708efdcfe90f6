#include "engine/cpu/products/row_sets.hpp"

namespace regatta::engine::cpu {

namespace {

// Tiles of 13 rows and 256 columns: 0.5 MB of a, b and c in a block of the sum.
constexpr std::int64_t kTilesAtOnce = 20;

}  // namespace

RowSets::RowSets(const KernelTable& kernels, const GemmView& product, std::int64_t rows_at_once)
    : kernels_(kernels),
      product_(product),
      rows_at_once_(rows_at_once > 0 ? rows_at_once : kTilesAtOnce * kernels.tile_rows) {}

void RowSets::add(const RowSet& set) {
  if (set.rows <= rows_at_once_) return add_groups(set);
  const std::int64_t pieces = ceil_divide(set.rows, rows_at_once_);
  for (std::int64_t group = 0; group < set.groups; ++group) {
    std::int64_t row = 0;
    for (std::int64_t i = 0; i < pieces; ++i) {
      RowSet piece = set;
      piece.groups = 1;
      piece.rows = (set.rows - row) / (pieces - i);
      piece.a += group * set.a_group + row * set.a_row;
      piece.c += group * set.c_group + row * set.c_row;
      add_groups(piece);
      row += piece.rows;
    }
  }
}

void RowSets::add_groups(RowSet set) {
  while (set.groups > 0 && set.rows > 0) {
    const std::int64_t left = rows_at_once_ - rows_;
    const std::int64_t fitting = std::clamp<std::int64_t>(left / set.rows, count_ == 0 ? 1 : 0, set.groups);
    if (fitting == 0 || count_ == kSets) {
      multiply();
      continue;
    }
    RowSet& piece = sets_[count_++];
    piece = set;
    piece.groups = fitting;
    rows_ += fitting * set.rows;
    set.groups -= fitting;
    set.a += fitting * set.a_group;
    set.c += fitting * set.c_group;
  }
}

void RowSets::multiply() {
  const std::int64_t blocks = ceil_divide(product_.k, kernels_.deep_block);
  const std::int64_t depth = blocks > 0 ? ceil_divide(product_.k, blocks) : 0;
  for (std::int64_t begin = 0; begin < product_.k; begin += depth) {
    for (std::size_t i = 0; i < count_; ++i) multiply(sets_[i], {begin, begin + depth});
  }
  count_ = 0;
  rows_ = 0;
}

void RowSets::multiply(const RowSet& set, Range block) const {
  const Range part{std::max(set.part.begin, block.begin), std::min(set.part.end, block.end)};
  if (part.begin >= part.end) return;
  GemmView view = product_;
  view.m = set.rows;
  view.groups = set.groups;
  view.k = part.size();
  view.a = set.a + (part.begin - set.part.begin);
  view.a_row = set.a_row;
  view.a_group = set.a_group;
  view.b += part.begin * view.b_k;
  view.c += set.c;
  view.c_row = set.c_row;
  view.c_group = set.c_group;
  if (view.saved != nullptr) view.saved += set.c;
  view.saved_row = set.c_row;
  view.add_to_c = part.begin > set.part.begin;
  view.depth = kernels_.deep_block;
  view.finish = part.end == set.part.end;
  kernels_.gemm(view);
}

}  // namespace regatta::engine::cpu
