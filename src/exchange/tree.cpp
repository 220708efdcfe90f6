#include "regatta/exchange/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "regatta/base/error.hpp"

namespace regatta::exchange {
namespace {

constexpr std::size_t most_leaves = 64;
constexpr std::size_t piece = 1024;  // so few that a sum of many parts stays in the first-level cache

void expect_tree_of(std::size_t leaves) {
  expect(std::has_single_bit(leaves) && leaves <= most_leaves, "a tree has 1, 2, 4, ... 64 leaves");
}

void add(float* out, const float* a, const float* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

bool are_finite(const float* values, std::size_t count) {
  return std::all_of(values, values + count, [](float value) { return std::isfinite(value); });
}

/// Whether all sums are finite. A check of each would take as long as the sum: what stops being finite stays so in a
/// total, and only a total that is not finite, which large numbers can make of finite ones, is looked at closely.
bool add_checked(float* out, const float* a, const float* b, std::size_t count) {
  constexpr std::size_t lanes = 16;
  std::array<float, lanes> totals{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const float sum = a[i + lane] + b[i + lane];
      out[i + lane] = sum;
      totals[lane] += sum;
    }
  }
  add(out + i, a + i, b + i, count - i);
  return (are_finite(totals.data(), lanes) || are_finite(out, i)) && are_finite(out + i, count - i);
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

/// One part or more, and whether all sums are finite.
bool sum_piece_checked(float* out, std::span<const float* const> parts, std::size_t at, std::size_t count) {
  if (parts.size() == 2) return add_checked(out, parts[0] + at, parts[1] + at, count);
  if (parts.size() == 1) {
    if (out != parts[0] + at) std::copy_n(parts[0] + at, count, out);
    return are_finite(out, count);
  }
  std::array<float, piece> left;
  std::array<float, piece> right;
  const std::size_t half = parts.size() / 2;
  sum_piece(left.data(), parts.first(half), at, count);
  sum_piece(right.data(), parts.last(half), at, count);
  return add_checked(out, left.data(), right.data(), count);
}

}  // namespace

bool tree_sum(float* out, std::span<const float* const> parts, std::size_t count) {
  expect_tree_of(parts.size());
  bool finite = true;
  for (std::size_t at = 0; at < count; at += piece)
    finite &= sum_piece_checked(out + at, parts, at, std::min(piece, count - at));
  return finite;
}

LeafSum::LeafSum(std::size_t count, std::size_t leaves) : leaves_(leaves) {
  expect_tree_of(leaves);
  constexpr std::size_t floats_of_a_line = sizeof(Line) / sizeof(float);
  const Lines lines((count + floats_of_a_line - 1) / floats_of_a_line);
  waiting_.assign(static_cast<std::size_t>(std::countr_zero(leaves)), lines);
}

void LeafSum::take(std::size_t index, const float* leaf, std::size_t begin, std::size_t end, float* out) {
  // As a binary counter carries: two sums of as many leaves become one of twice as many.
  const auto carries = static_cast<std::size_t>(std::countr_one(index));
  float* const to = index + 1 == leaves_ ? out : floats_of(waiting_[carries]) + begin;
  for (std::size_t at = begin; at < end; at += piece) {
    const std::size_t count = std::min(piece, end - at);
    const float* sum = leaf + at;
    float* const here = to + (at - begin);
    if (carries == 0 && sum != here) std::copy_n(sum, count, here);
    for (std::size_t level = 0; level < carries; ++level, sum = here)
      add(here, floats_of(waiting_[level]) + at, sum, count);
  }
}

}  // namespace regatta::exchange
