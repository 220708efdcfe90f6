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
  return std::min(sum, sum - places);  // which wraps around where it is below them
}

[[gnu::always_inline]] inline Word moved(const FeistelKeys& keys, Word left, Word right) {
  for (std::size_t i = 0; i < keys.rounds.size(); i += 2) {
    left = sum_below(left, below(hashed(right + keys.rounds[i]), keys.left_places), keys.left_places);
    right = sum_below(right, below(hashed(left + keys.rounds[i + 1]), keys.right_places), keys.right_places);
  }
  return right * keys.left_places + left;
}

constexpr std::size_t block_words = 32;

/// Places of a block, in halves.
struct Halves {
  Word left[block_words];
  Word right[block_words];
};

[[gnu::always_inline]] inline void move_all(const FeistelKeys& keys, const Halves& from, Word* to) {
  const FeistelKeys held = keys;  // which `to` cannot be a part of
  for (std::size_t i = 0; i < block_words; ++i) to[i] = moved(held, from.left[i], from.right[i]);
}

void move_block_anywhere(const FeistelKeys& keys, const Halves& from, Word* to) { move_all(keys, from, to); }

#ifdef __x86_64__
[[gnu::target("avx2")]] void move_block_avx2(const FeistelKeys& keys, const Halves& from, Word* to) {
  move_all(keys, from, to);
}
#endif

using MoveBlock = void (*)(const FeistelKeys&, const Halves&, Word*);

MoveBlock fastest_move_block() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return move_block_avx2;
#endif
  return move_block_anywhere;
}

/// Place after place: the left half counts up, and at its end the right one.
class Counter {
 public:
  Counter(Word first, Word left_places)
      : left_(first % left_places), right_(first / left_places), places_(left_places) {}

  void next(Halves& halves) {
    for (std::size_t i = 0; i < block_words; ++i) {
      halves.left[i] = left_;
      halves.right[i] = right_;
      const bool is_last = ++left_ == places_;
      left_ = is_last ? 0 : left_;
      right_ += is_last ? 1 : 0;
    }
  }

 private:
  Word left_;
  Word right_;
  Word places_;
};

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
  static const MoveBlock move = fastest_move_block();
  const Word places = keys_.left_places;
  Counter counter(static_cast<Word>(first), places);
  Halves halves;
  Word block[block_words];
  for (std::size_t done = 0; done < images.size(); done += block_words) {
    counter.next(halves);
    move(keys_, halves, block);
    std::copy_n(block, std::min(block_words, images.size() - done), images.begin() + static_cast<std::ptrdiff_t>(done));
  }
  for (Word& image : images)
    while (image >= size_) image = moved(keys_, image % places, image / places);
}

}  // namespace regatta::data
