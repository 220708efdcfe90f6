#include "results/file/seal.hpp"

#include <gtest/gtest.h>

namespace regatta::results::hdf5 {
namespace {

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

}  // namespace
}  // namespace regatta::results::hdf5
