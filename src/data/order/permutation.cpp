#include "regatta/data/permutation.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"

namespace regatta::data {
namespace {

using Word = std::uint32_t;

/// 32 bits whose upper ones depend on all of `value`. Its own upper ones are alike for all places, so that the middle
/// of a finaliser is enough (MurmurHash3's, A. Appleby). In 32 bits, so that a loop over it becomes vectors.
[[gnu::always_inline]] inline Word hashed(Word value) {
  value *= 0x85ebca6bU;
  value ^= value >> 13;
  return value * 0xc2b2ae35U;
}

/// Below `places`, which fits into 17 bits.
[[gnu::always_inline]] inline Word below(Word hash, Word places) { return (hash >> 17) * places >> 15; }

[[gnu::always_inline]] inline Word sum_below(Word a, Word b, Word places) {
  const Word sum = a + b;
  return std::min(sum, sum - places);  // the difference wraps around where `sum` is below `places`
}

[[gnu::always_inline]] inline Word moved(const FeistelKeys& keys, Word left, Word right) {
  for (std::size_t i = 0; i < keys.rounds.size(); i += 2) {
    left = sum_below(left, below(hashed(right + keys.rounds[i]), keys.left_places), keys.left_places);
    right = sum_below(right, below(hashed(left + keys.rounds[i + 1]), keys.right_places), keys.right_places);
  }
  return right * keys.left_places + left;
}

constexpr Word block_words = 32;

/// Where the places from (left, right) on go; the left half counts up, and at its end, at most once, the right one.
/// Whether one of them lands at `size` or beyond.
[[gnu::always_inline]] inline bool move_all(const FeistelKeys& keys, Word left, Word right, Word size, Word* to) {
  const FeistelKeys held = keys;  // a copy that `to` cannot overlap
  Word beyond = 0;
  for (Word i = 0; i < block_words; ++i) {
    const Word counted = left + i;
    const Word wraps = counted >= held.left_places ? 1 : 0;
    to[i] = moved(held, counted - wraps * held.left_places, right + wraps);
    beyond |= to[i] >= size ? 1 : 0;
  }
  return beyond != 0;
}

bool move_block_anywhere(const FeistelKeys& keys, Word left, Word right, Word size, Word* to) {
  return move_all(keys, left, right, size, to);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] bool move_block_avx2(const FeistelKeys& keys, Word left, Word right, Word size, Word* to) {
  return move_all(keys, left, right, size, to);
}
#endif

using MoveBlock = bool (*)(const FeistelKeys&, Word, Word, Word, Word*);

MoveBlock fastest_move_block() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return move_block_avx2;
#endif
  return move_block_anywhere;
}

/// A left half that is shorter than a block.
bool move_block_of_few(const FeistelKeys& keys, Word left, Word right, Word size, Word* to) {
  Word beyond = 0;
  for (Word i = 0; i < block_words; ++i) {
    const Word counted = left + i;
    to[i] = moved(keys, counted % keys.left_places, right + counted / keys.left_places);
    beyond |= to[i] >= size ? 1 : 0;
  }
  return beyond != 0;
}

}  // namespace

Permutation::Permutation(std::int64_t size, std::uint64_t key) : size_(size) {
  expect(size >= 1 && size < most_samples, "a permutation of 1 to 2^32 - 1 places");
  keys_.left_places = static_cast<Word>(std::ceil(std::sqrt(static_cast<double>(size))));
  keys_.right_places = static_cast<Word>((size + keys_.left_places - 1) / keys_.left_places);
  for (std::size_t i = 0; i < keys_.rounds.size(); ++i) keys_.rounds[i] = static_cast<Word>(random_bits(key, i) >> 32);
}

// Block by block, which the compiler makes vectors of; what a last block has too much is left out. Few places walk:
// fewer than a of a x b lie beyond the end, and a is about the root of the size.
void Permutation::images(std::int64_t first, std::span<std::uint32_t> images) const {
  static const MoveBlock fastest = fastest_move_block();
  const Word places = keys_.left_places;
  const MoveBlock move = places < block_words ? move_block_of_few : fastest;
  const auto size = static_cast<Word>(size_);
  Word block[block_words];
  for (std::size_t done = 0; done < images.size(); done += block_words) {
    const Word place = static_cast<Word>(first) + static_cast<Word>(done);
    const std::size_t count = std::min<std::size_t>(block_words, images.size() - done);
    Word* const out = count == block_words ? images.data() + done : block;
    if (move(keys_, place % places, place / places, size, out)) {
      for (Word* image = out; image != out + count; ++image)
        while (*image >= size) *image = moved(keys_, *image % places, *image / places);
    }
    if (out == block) std::copy_n(block, count, images.data() + done);
  }
}

}  // namespace regatta::data
