#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/format_files.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;

/// An IDX file of unsigned bytes, 2 x 3, with these values.
std::string two_by_three(const std::string& values) {
  return std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12) + values;
}

/// An IDX file of one axis with one value of this type.
std::string one_of_type(char type, const std::string& value) {
  return std::string("\0\0", 2) + type + std::string("\x01\0\0\0\x01", 5) + value;
}

/// The error without the name of the file and the advice.
std::string idx_damage(const std::string& bytes) {
  const std::string text = refusal_of([&] { parse_idx(file_of(bytes, "digits.idx")); });
  if (text == "no error") return text;
  const std::string before = "'digits.idx' is damaged at offset ";
  const std::string after = "; get the file again";
  EXPECT_TRUE(text.starts_with(before) && text.ends_with(after)) << text;
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

TEST(Idx, OfBytesIsTheFileItself) {
  const FileBytes file = file_of(two_by_three("\x01\x02\x03\xff\x05\x06"), "digits.idx");
  const Array array = parse_idx(file);
  EXPECT_EQ(array.type, ElementType::uint8);
  EXPECT_EQ(array.count, 2);
  EXPECT_THAT(array.shape, ElementsAre(3));
  EXPECT_EQ(array.owner, file.owner);
  EXPECT_THAT(values_of<std::uint8_t>(array), ElementsAre(1, 2, 3, 255, 5, 6));
}

TEST(Idx, OfOtherNumbersIsTurnedAndWidened) {
  EXPECT_THAT(values_of<std::int32_t>(parse_idx(file_of(one_of_type(9, "\xff"), ""))), ElementsAre(-1));
  EXPECT_THAT(values_of<std::int32_t>(parse_idx(file_of(one_of_type(11, "\xff\xfe"), ""))), ElementsAre(-2));
  EXPECT_THAT(values_of<std::int32_t>(parse_idx(file_of(one_of_type(12, std::string("\0\0\1\2", 4)), ""))),
              ElementsAre(258));
  EXPECT_THAT(values_of<float>(parse_idx(file_of(one_of_type(13, std::string("\x3f\xc0\0\0", 4)), ""))),
              ElementsAre(1.5F));
  EXPECT_THAT(values_of<double>(parse_idx(file_of(one_of_type(14, std::string("\x3f\xf8\0\0\0\0\0\0", 8)), ""))),
              ElementsAre(1.5));
}

TEST(Idx, MayBeEmpty) { EXPECT_EQ(parse_idx(file_of(std::string("\0\0\x08\x01\0\0\0\0", 8), "digits.idx")).count, 0); }

TEST(Idx, MayBePacked) {
  const Array array = parse_idx(file_of(gzipped(two_by_three("123456")), "digits.gz"));
  EXPECT_THAT(values_of<char>(array), ElementsAre('1', '2', '3', '4', '5', '6'));
  EXPECT_EQ(
      refusal_of([] { parse_idx(file_of(gzipped(two_by_three("12345")), "digits.gz")); }),
      "'digits.gz (unpacked)' is damaged at offset 17: its shape (2, 3) needs more than the 5 bytes that follow the "
      "header; get the file again");
}

TEST(Idx, NamesTheOffsetOfTheDamage) {
  const std::string expected = ", expected 0x0000TTNN (TT 08, 09, 0b, 0c, 0d or 0e, the type of the numbers; NN axes)";
  EXPECT_EQ(idx_damage("abc"), "0: it has 3 bytes (an IDX file starts with 4)");
  EXPECT_EQ(idx_damage(std::string("\0\0\x0f\x01\0\0\0\0", 8)), "0: found magic 0x00000f01" + expected);
  EXPECT_EQ(idx_damage(std::string("\0\0\x08\0", 4)), "0: found magic 0x00000800" + expected);
  EXPECT_EQ(idx_damage(std::string("\0\0\x08\x02\0\0\0\x02", 8)), "8: the sizes of 2 axes are cut short");
  EXPECT_EQ(idx_damage(two_by_three("12345")),
            "17: its shape (2, 3) needs more than the 5 bytes that follow the header");
  EXPECT_EQ(idx_damage(two_by_three("12345678")), "18: 2 bytes follow the last value");
}

TEST(Idx, IsNotFooledByAShapeThatOverflows) {
  std::string bytes("\0\0\x08\x04", 4);
  for (int axis = 0; axis < 4; ++axis) bytes += std::string("\0\x01\0\0", 4);  // (2^16)^4 = 2^64
  EXPECT_EQ(idx_damage(bytes),
            "20: its shape (65536, 65536, 65536, 65536) needs more than the 0 bytes that follow the header");
}

TEST(Idx, CutAnywhereIsAnError) {
  const std::string whole = two_by_three("123456");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(idx_damage(whole.substr(0, length)), "no error") << "cut to " << length;
  }
}

TEST(Idx, OfTooManyAxesIsRefused) {
  std::string bytes("\0\0\x08\x21", 4);
  for (int axis = 0; axis < 33; ++axis) bytes += std::string("\0\0\0\1", 4);
  EXPECT_EQ(refusal_of([&] { parse_idx(file_of(bytes + "1", "a.idx")); }), "'a.idx' has 33 axes (at most 32 are read)");
}

}  // namespace
}  // namespace regatta::data
