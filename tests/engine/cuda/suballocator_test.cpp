#include <map>

#include "engine/cuda/cuda.hpp"
#include "engine/support.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {
namespace {

TEST(Suballocator, PiecesNeverOverlapAndAllOfTheBlockComesBack) {
  Random random(test_seed());
  constexpr std::int64_t kBytes = 64 * 256;
  Suballocator parts(kBytes, 256);
  std::map<std::int64_t, std::int64_t> held;  // offset, bytes
  for (int i = 0; i < 4000; ++i) {
    if (!held.empty() && uniform(random, 0, 9) < 5) {
      const auto piece = std::next(held.begin(), uniform(random, 0, std::ssize(held) - 1));
      parts.give(piece->first);
      held.erase(piece);
      continue;
    }
    const std::int64_t bytes = uniform(random, 0, 2500);
    const auto offset = parts.take(bytes);
    if (!offset) continue;
    EXPECT_EQ(*offset % 256, 0);
    EXPECT_LE(*offset + bytes, kBytes);
    const auto next = held.lower_bound(*offset);
    if (next != held.end()) {
      EXPECT_LE(*offset + std::max<std::int64_t>(bytes, 1), next->first);
    }
    if (next != held.begin()) {
      EXPECT_LE(std::prev(next)->first + std::prev(next)->second, *offset);
    }
    held[*offset] = std::max<std::int64_t>(bytes, 1);
  }
  for (const auto& [offset, bytes] : held) parts.give(offset);
  EXPECT_EQ(parts.take(kBytes), 0);
}

TEST(Suballocator, TheSmallestGapThatHoldsAPieceIsTaken) {
  Suballocator parts(10 * 256, 256);
  const auto large = parts.take(4 * 256), between = parts.take(1), small = parts.take(2 * 256), last = parts.take(1);
  ASSERT_TRUE(large && between && small && last);
  parts.give(*large);
  parts.give(*small);
  EXPECT_EQ(parts.take(2 * 256), *small);
  EXPECT_EQ(parts.take(3 * 256), *large);
}

TEST(Suballocator, RefusesMoreThanThereIs) {
  Suballocator parts(1000, 256);  // three whole ones
  EXPECT_FALSE(parts.take(769));
  EXPECT_EQ(parts.take(768), 0);
  EXPECT_FALSE(parts.take(1));
  EXPECT_THROW(parts.give(256), InternalError);
}

}  // namespace
}  // namespace regatta::engine::cuda
