#include "base/checksums/sha256_chunks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace regatta {
namespace {

TEST(Sha256Chunks, AreTheSameByInstructionsAndWithout) {
  std::vector<std::uint8_t> bytes(64 * 20);
  std::uint32_t next = 1;
  for (std::uint8_t& byte : bytes) {
    next = next * 1664525 + 1013904223;  // any numbers do
    byte = static_cast<std::uint8_t>(next >> 24);
  }
  for (std::size_t chunks = 0; chunks <= 20; ++chunks) {
    Sha256State here = {1, 2, 3, 4, 0xffffffff, 6, 7, 8};
    Sha256State anywhere = here;
    compress_chunks(here, bytes.data(), chunks);
    compress_chunks_anywhere(anywhere, bytes.data(), chunks);
    EXPECT_EQ(here, anywhere) << chunks;
  }
}

}  // namespace
}  // namespace regatta
