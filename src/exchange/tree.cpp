#include "regatta/exchange/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "regatta/base/error.hpp"

namespace regatta::exchange {
namespace {

constexpr std::size_t most_parts = 64;
constexpr std::size_t piece = 1024;  // so few that a sum of many parts stays in the first-level cache

void add(float* out, const float* a, const float* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

/// Two parts or more; `count` is at most `piece`.
void sum_piece(float* out, std::span<const float* const> parts, std::size_t at, std::size_t count) {
  if (parts.size() == 2) return add(out, parts[0] + at, parts[1] + at, count);
  std::array<float, piece> left;
  std::array<float, piece> right;
  const std::size_t half = parts.size() / 2;
  sum_piece(left.data(), parts.first(half), at, count);
  sum_piece(right.data(), parts.last(half), at, count);
  add(out, left.data(), right.data(), count);
}

}  // namespace

void tree_sum(float* out, std::span<const float* const> parts, std::size_t count) {
  expect(std::has_single_bit(parts.size()) && parts.size() <= most_parts, "a tree has 1, 2, 4, ... 64 leaves");
  if (parts.size() == 1) {
    if (out != parts[0]) std::copy_n(parts[0], count, out);
    return;
  }
  for (std::size_t at = 0; at < count; at += piece) sum_piece(out + at, parts, at, std::min(piece, count - at));
}

std::span<float> LeafSum::leaf() {
  const auto sums = static_cast<std::size_t>(std::popcount(leaves_));
  if (waiting_.size() == sums) waiting_.emplace_back(count_);
  return waiting_[sums];
}

void LeafSum::add() {
  auto at = static_cast<std::size_t>(std::popcount(leaves_));
  // As a binary counter carries: two sums of as many leaves become one of twice as many.
  for (std::size_t rest = leaves_; (rest & 1U) != 0; rest >>= 1U, --at) {
    float* const left = waiting_[at - 1].data();
    const float* const right = waiting_[at].data();
    for (std::size_t i = 0; i < count_; ++i) left[i] += right[i];
  }
  ++leaves_;
}

std::span<const float> LeafSum::sum() const {
  expect(std::has_single_bit(leaves_), "a tree has 1, 2, 4, ... leaves");
  return waiting_.front();
}

}  // namespace regatta::exchange
