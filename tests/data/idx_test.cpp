#include "regatta/data/idx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;

/// An IDX file of unsigned bytes, 2 x 3, with these values.
std::string two_by_three(const std::string& values) {
  return std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12) + values;
}

/// The error without the name of the file and the advice.
std::string damage_of(const std::string& bytes) {
  try {
    parse_idx(bytes, "digits.idx");
  } catch (const InputError& error) {
    const std::string text = error.what();
    const std::string before = "'digits.idx' is damaged at offset ";
    const std::string after = "; get the file again";
    EXPECT_TRUE(text.starts_with(before) && text.ends_with(after)) << text;
    return text.substr(before.size(), text.size() - before.size() - after.size());
  }
  return "no error";
}

TEST(Idx, HoldsShapeAndValues) {
  const IdxArray array = parse_idx(two_by_three("\x01\x02\x03\xff\x05\x06"), "digits.idx");
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(array.values, ElementsAre(1, 2, 3, 255, 5, 6));
}

TEST(Idx, MayBeEmpty) {
  const IdxArray array = parse_idx(std::string("\0\0\x08\x01\0\0\0\0", 8), "digits.idx");
  EXPECT_THAT(array.shape, ElementsAre(0));
  EXPECT_TRUE(array.values.empty());
}

TEST(Idx, NamesTheOffsetOfTheDamage) {
  EXPECT_EQ(damage_of("abc"), "0: it has 3 bytes (an IDX file starts with 4)");
  EXPECT_EQ(damage_of(std::string("\0\0\x0d\x01\0\0\0\0", 8)),
            "0: found magic 0x00000d01, expected 0x000008NN (unsigned bytes, NN axes)");
  EXPECT_EQ(damage_of(std::string("\0\0\x08\0", 4)),
            "0: found magic 0x00000800, expected 0x000008NN (unsigned bytes, NN axes)");
  EXPECT_EQ(damage_of(std::string("\0\0\x08\x02\0\0\0\x02", 8)), "8: the sizes of 2 axes are cut short");
  EXPECT_EQ(damage_of(two_by_three("12345")),
            "17: its shape (2, 3) needs more than the 5 bytes that follow the header");
  EXPECT_EQ(damage_of(two_by_three("12345678")), "18: 2 bytes follow the last value");
}

TEST(Idx, IsNotFooledByAShapeThatOverflows) {
  std::string bytes("\0\0\x08\x04", 4);
  for (int axis = 0; axis < 4; ++axis) bytes += std::string("\0\x01\0\0", 4);  // (2^16)^4 = 2^64
  EXPECT_EQ(damage_of(bytes),
            "20: its shape (65536, 65536, 65536, 65536) needs more than the 0 bytes that follow the header");
}

TEST(Idx, CutAnywhereIsAnError) {
  const std::string whole = two_by_three("123456");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(damage_of(whole.substr(0, length)), "no error") << "cut to " << length;
  }
}

}  // namespace
}  // namespace regatta::data
