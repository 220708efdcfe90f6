#include <gtest/gtest.h>

#include <algorithm>

#include "results/file/file.hpp"

namespace regatta::results::hdf5 {
namespace {

bool is_sealed(std::string_view bytes, std::size_t piece = 1000) {
  SealCheck seal;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) seal.take(bytes.substr(0, piece));
  return seal.holds();
}

TEST(Seal, HoldsForTheSealedBytesOnly) {
  const std::string bytes = "some bytes";
  const std::string sealed = bytes + seal_of(bytes);
  EXPECT_TRUE(is_sealed(sealed));
  EXPECT_TRUE(is_sealed(seal_of("")));
  EXPECT_FALSE(is_sealed(bytes));
  EXPECT_FALSE(is_sealed(""));
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    std::string flipped = sealed;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    EXPECT_FALSE(is_sealed(flipped)) << at;
    EXPECT_FALSE(is_sealed(sealed.substr(0, at))) << at;
  }
}

TEST(Seal, HoldsHoweverTheBytesAreCutIntoPieces) {
  const std::string bytes(100, 'x');
  const std::string sealed = bytes + seal_of(bytes);
  for (std::size_t piece = 1; piece <= sealed.size(); ++piece) {
    EXPECT_TRUE(is_sealed(sealed, piece)) << piece;
    EXPECT_FALSE(is_sealed(sealed + "x", piece)) << piece;
  }
}

}  // namespace
}  // namespace regatta::results::hdf5
