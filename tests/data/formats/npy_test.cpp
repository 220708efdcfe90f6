#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/formats/format_files.hpp"
#include "data/formats/formats.hpp"
#include "data/formats/stored.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;

std::string npy_of_header(const std::string& header, const std::string& data, char version = 1) {
  const std::string length = version == 1 ? bytes_of(static_cast<std::uint16_t>(header.size()))
                                          : bytes_of(static_cast<std::uint32_t>(header.size()));
  return std::string("\x93NUMPY") + version + '\0' + length + header + data;
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& fortran = "False") {
  return npy_of_header("{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }      \n",
                       data);
}

Array parsed_npy(const std::string& bytes) { return parse_npy(file_of(bytes, "x.npy")); }

std::string npy_refusal(const std::string& bytes) {
  return refusal_of([&] { parsed_npy(bytes); });
}

template <class Number>
std::string all_bytes(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers) bytes += bytes_of(number);
  return bytes;
}

TEST(Npy, OfPlainNumbersIsTheFileItself) {
  const FileBytes file = file_of(npy("<f4", "(2, 3)", all_bytes<float>({1, 2, 3, 4, 5, 6})), "x.npy");
  const Array array = parse_npy(file);
  EXPECT_EQ(array.type, ElementType::float32);
  EXPECT_EQ(array.count, 2);
  EXPECT_THAT(array.shape, ElementsAre(3));
  EXPECT_EQ(array.stride_bytes, 12U);
  EXPECT_EQ(array.owner, file.owner);
  EXPECT_THAT(values_of<float>(array), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, OfVersionTwoAndThreeHasALongerHeader) {
  for (const char version : {'\2', '\3'}) {
    const std::string header = "{\"shape\": (2L,), \"fortran_order\": False, \"descr\": \"|u1\"}\n";
    const Array array = parsed_npy(npy_of_header(header, "\x07\xff", version));
    EXPECT_THAT(values_of<std::uint8_t>(array), ElementsAre(7, 255));
    EXPECT_TRUE(array.shape.empty());
  }
}

TEST(Npy, WidensWhatAnArrayDoesNotHold) {
  EXPECT_THAT(values_of<std::uint8_t>(parsed_npy(npy("|b1", "(2,)", std::string("\1\0", 2)))), ElementsAre(1, 0));
  EXPECT_THAT(values_of<std::int32_t>(parsed_npy(npy("|i1", "(2,)", "\xff\x7f"))), ElementsAre(-1, 127));
  EXPECT_THAT(values_of<std::int32_t>(parsed_npy(npy("<i2", "(1,)", "\xfe\xff"))), ElementsAre(-2));
  EXPECT_THAT(values_of<std::int32_t>(parsed_npy(npy("<u2", "(1,)", "\xfe\xff"))), ElementsAre(65534));
  EXPECT_THAT(values_of<std::int64_t>(parsed_npy(npy("<u4", "(1,)", "\xff\xff\xff\xff"))), ElementsAre(4294967295));
  EXPECT_THAT(values_of<std::int64_t>(parsed_npy(npy("<u8", "(1,)", all_bytes<std::uint64_t>({5})))), ElementsAre(5));
  EXPECT_THAT(values_of<double>(parsed_npy(npy(">f8", "(1,)", std::string("\x3f\xf8\0\0\0\0\0\0", 8)))),
              ElementsAre(1.5));
  EXPECT_THAT(values_of<std::int32_t>(parsed_npy(npy(">i4", "(1,)", std::string("\0\0\1\2", 4)))), ElementsAre(258));
}

TEST(Npy, OfHalvesHoldsFloats) {
  const auto halves = all_bytes<std::uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00, 0x7e00});
  const auto values = values_of<float>(parsed_npy(npy("<f2", "(7,)", halves)));
  EXPECT_THAT(std::vector<float>(values.begin(), values.begin() + 6),
              ElementsAre(1, -2, 65504, 0x1p-24F, 0, std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(std::signbit(values[4]));
  EXPECT_TRUE(std::isnan(values[6]));
}

TEST(Npy, OfFortransOrderIsTurned) {
  const Array array = parsed_npy(npy("<i4", "(2, 3)", all_bytes<std::int32_t>({1, 4, 2, 5, 3, 6}), "True"));
  EXPECT_THAT(values_of<std::int32_t>(array), ElementsAre(1, 2, 3, 4, 5, 6));
  const Array cube = parsed_npy(npy("|u1", "(2, 2, 2)", "\1\5\3\7\2\6\4\x8", "True"));
  EXPECT_THAT(values_of<std::uint8_t>(cube), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(values_of<std::uint8_t>(parsed_npy(npy("|u1", "(2,)", "\1\2", "True"))), ElementsAre(1, 2));
}

TEST(Npy, MayHaveNoRows) { EXPECT_EQ(parsed_npy(npy("<f4", "(0, 3)", "")).count, 0); }

TEST(Npy, OfObjectsIsNeverUnpickled) {
  EXPECT_EQ(
      npy_refusal(npy("|O", "(1,)", "\x80\x04.")),
      "'x.npy' holds Python objects (unpickling them could run any program, so it is not done); save it as numbers "
      "(uint8, int32, int64, float32, float64)");
}

TEST(Npy, NamesWhatItDoesNotRead) {
  const std::string advice = "; save it as numbers (uint8, int32, int64, float32, float64)";
  EXPECT_EQ(npy_refusal(npy("<U5", "(1,)", "")), "'x.npy' holds texts" + advice);
  EXPECT_EQ(npy_refusal(npy("|S5", "(1,)", "")), "'x.npy' holds texts" + advice);
  EXPECT_EQ(npy_refusal(npy("<c8", "(1,)", "")), "'x.npy' holds complex numbers" + advice);
  EXPECT_EQ(npy_refusal(npy("|V8", "(1,)", "")), "'x.npy' holds structured records" + advice);
  EXPECT_EQ(npy_refusal(npy_of_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}\n", "")),
            "'x.npy' holds structured records" + advice);
  EXPECT_EQ(npy_refusal(npy("<f16", "(1,)", "")),
            "'x.npy' holds numbers of the type \"<f16\", which is not read" + advice);
  EXPECT_EQ(npy_refusal(npy("|f4", "(1,)", "")),
            "'x.npy' holds numbers of the type \"|f4\", which is not read" + advice);
  EXPECT_EQ(npy_refusal(npy("<f4", "()", "\0\0\0\0")),
            "'x.npy' holds one number without axes (a data set has rows); save an array");
  EXPECT_EQ(npy_refusal(npy("<f4", "(3, 0)", "")),
            "'x.npy' has the shape (3, 0): its rows have no elements; save rows that have some");
  const std::string header = npy("<u8", "(1,)", "");
  EXPECT_EQ(npy_refusal(header + all_bytes<std::uint64_t>({std::uint64_t{1} << 63})),
            "'x.npy' holds 9223372036854775808 at offset " + std::to_string(header.size()) +
                " (numbers up to 2^63 - 1 are read); save it as int64");
}

std::string npy_damage(const std::string& bytes) {
  const std::string text = npy_refusal(bytes);
  const std::string before = "'x.npy' is damaged at offset ";
  const std::string after = "; get the file again";
  EXPECT_TRUE(text.starts_with(before) && text.ends_with(after)) << text;
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

TEST(Npy, NamesTheOffsetOfTheDamage) {
  EXPECT_EQ(npy_damage("PK"), "0: it does not start as an NPY file does (\\x93NUMPY and a version)");
  EXPECT_EQ(npy_damage(npy_of_header("{}", "", 4)), "6: found version 4, expected 1, 2 or 3");
  EXPECT_EQ(npy_damage(npy_of_header("{}", "", 2).substr(0, 10)), "10: the header's length is cut short");
  EXPECT_EQ(npy_damage(npy_of_header("{}", "").substr(0, 11)),
            "8: the header claims 2 bytes, but 1 follow (and at most 65536 are read)");
  EXPECT_EQ(npy_damage(npy_of_header("{}", "")),
            "10: the header needs each of 'descr', 'fortran_order' and 'shape' once");
  EXPECT_EQ(npy_damage(npy_of_header("{'descr': 5}", "")), "20: found \"5}\" in the header, expected a text in quotes");
  EXPECT_EQ(npy_damage(npy_of_header("{'shape': (1, -2)}", "")),
            "24: found \"-2)}\" in the header, expected a size from 0 to 2^63 - 1");
  EXPECT_EQ(npy_damage(npy_of_header("{'shape': (9223372036854775808,)}", "")),
            "21: found \"9223372036854775808,)}\" in the header, expected a size from 0 to 2^63 - 1");
  const std::string header = npy("<f4", "(2, 3)", "");
  const std::string size = std::to_string(header.size());
  EXPECT_EQ(npy_damage(header), size + ": its shape (2, 3) needs more than the 0 bytes that follow the header");
  EXPECT_EQ(npy_damage(header + std::string(25, '\0')),
            std::to_string(header.size() + 24) + ": 1 bytes follow the last value");
}

TEST(Npy, IsNotFooledByAShapeThatOverflows) {
  const std::string bytes = npy("<f4", "(4294967296, 4294967296)", "");
  EXPECT_EQ(npy_damage(bytes),
            std::to_string(bytes.size()) +
                ": its shape (4294967296, 4294967296) needs more than the 0 bytes that follow the header");
}

TEST(Npy, OfNoRowsIsNotFooledByThem) {
  EXPECT_EQ(
      npy_refusal(npy("<f4", "(0, 4294967296, 4294967296)", "")),
      "'x.npy' has the shape (0, 4294967296, 4294967296): there are no rows, and each is larger than any file; save "
      "some rows");
}

TEST(Npy, ConvertsWithinTheCapOnly) {
  const std::string bytes = npy("<i2", "(1000,)", std::string(2000, '\0'));
  EXPECT_EQ(
      refusal_of([&] { parse_npy(file_of(bytes, "x.npy"), 3999); }),
      "'x.npy' takes 3.9 KiB of memory or more to read (at most 3.9 KiB may be used); allow more memory, or use a "
      "smaller file");
  EXPECT_EQ(parse_npy(file_of(bytes, "x.npy"), 4000).count, 1000);
}

TEST(Npy, CutAnywhereIsAnError) {
  const std::string whole = npy("<f4", "(2, 3)", std::string(24, '\1'));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(npy_refusal(whole.substr(0, length)), "no error") << "cut to " << length;
}

TEST(Npy, HeaderSaysWhereTheNumbersBegin) {
  const std::string bytes = npy(">i2", "(4, 5)", "");
  const Layout layout = npy_layout(file_of(bytes, "x.npy"));
  EXPECT_EQ(layout.offset, bytes.size());
  EXPECT_TRUE(layout.is_big_endian);
  EXPECT_THAT(layout.axes, ElementsAre(4, 5));
}

}  // namespace
}  // namespace regatta::data
