#include "regatta/base/crc32c.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace regatta {
namespace {

// RFC 3720, appendix B.4. The appendix prints the bytes as they go over the wire, lowest first.
TEST(Crc32c, GivesTheExamplesOfRfc3720) {
  std::string ascending(32, '\0');
  std::iota(ascending.begin(), ascending.end(), '\0');
  const std::string descending(ascending.rbegin(), ascending.rend());
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eU);
  EXPECT_EQ(crc32c(descending), 0x113fdb5cU);
}

TEST(Crc32c, GivesTheExampleOfAnIscsiReadCommand) {
  std::string command(48, '\0');
  command[0] = '\x01';
  command[1] = '\xc0';
  command[16] = '\x14';
  command[22] = '\x04';
  command[27] = '\x14';
  command[31] = '\x18';
  command[32] = '\x28';
  command[40] = '\x02';
  EXPECT_EQ(crc32c(command), 0xd9963a56U);
}

TEST(Crc32c, GivesTheCheckValueOfItsCatalogueEntry) { EXPECT_EQ(crc32c("123456789"), 0xe3069283U); }

TEST(Crc32c, IsZeroForNothing) { EXPECT_EQ(crc32c(""), 0U); }

TEST(Crc32c, ContinuesOverPieces) {
  const std::string text = "any split of the same bytes gives the same sum";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text)) << cut;
  }
}

TEST(Crc32c, IsTheSameByAnInstructionAndWithout) {
  std::string text;
  for (int length = 0; length < 100; ++length) {
    EXPECT_EQ(crc32c(text, 7), crc32c_anywhere(text, 7)) << length;
    text += static_cast<char>(length * 37);
  }
}

TEST(Crc32c, NoticesEveryFlippedBit) {
  const std::string text = "0123456789abcdef!";
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(crc32c(flipped), crc32c(text)) << bit;
  }
}

}  // namespace
}  // namespace regatta
