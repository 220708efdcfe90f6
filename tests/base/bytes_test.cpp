#include "regatta/base/bytes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace regatta {
namespace {

TEST(Bytes, ComeBackInTheOrderInWhichTheyWereWritten) {
  ByteWriter out;
  out.number<std::uint16_t>(7);
  out.text("two words");
  out.hash(hash128("x"));
  out.list(std::vector<double>{0.5, -1}, [&](double value) { out.number(value); });
  const std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.number<std::uint16_t>(), 7);
  EXPECT_EQ(in.text(), "two words");
  EXPECT_EQ(in.hash(), hash128("x"));
  std::vector<double> list;
  in.list([&] { list.push_back(in.number<double>()); });
  EXPECT_EQ(list, (std::vector<double>{0.5, -1}));
  EXPECT_TRUE(in.is_at_end());
}

TEST(Bytes, AreLittleEndian) {
  ByteWriter out;
  out.number<std::uint32_t>(0x01020304);
  EXPECT_EQ(out.take(), "\x04\x03\x02\x01");
}

TEST(Bytes, ThatEndTooEarlyAreRefused) {
  ByteWriter out;
  out.text("word");
  const std::string bytes = out.take();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::string_view(bytes).substr(0, size));
    EXPECT_THROW(in.text(), InputError) << size;
  }
}

}  // namespace
}  // namespace regatta
