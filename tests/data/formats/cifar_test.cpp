#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/format_files.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;

std::string cifar_record(const std::string& labels, char pixel) { return labels + std::string(3072, pixel); }

std::string cifar_refusal(const std::string& bytes, CifarLabels labels) {
  return refusal_of([&] { parse_cifar(file_of(bytes, "x.bin"), labels); });
}

TEST(Cifar, OfTenClassesIsTheFileItself) {
  const FileBytes file = file_of(cifar_record("\x09", 'a') + cifar_record("\x03", 'b'), "x.bin");
  const std::vector<Array> arrays = parse_cifar(file, CifarLabels::of_10);
  ASSERT_EQ(arrays.size(), 2U);
  const Array& x = arrays[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_THAT(x.shape, ElementsAre(3, 32, 32));
  EXPECT_EQ(x.count, 2);
  EXPECT_EQ(x.stride_bytes, 3073U);
  EXPECT_EQ(x.owner, file.owner);
  EXPECT_EQ(sum_of_rows(x), 3072U * ('a' + 'b'));
  EXPECT_EQ(arrays[1].name, "y");
  EXPECT_THAT(values_of<std::uint8_t>(arrays[1]), ElementsAre(9, 3));
}

TEST(Cifar, OfAHundredClassesHasCoarseOnesToo) {
  const std::string bytes = cifar_record("\x13\x63", 'a') + cifar_record(std::string(2, '\0'), 'b');
  const std::vector<Array> arrays = parse_cifar(file_of(bytes, "x.bin"), CifarLabels::of_20_and_100);
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(sum_of_rows(arrays[0]), 3072U * ('a' + 'b'));
  EXPECT_EQ(arrays[1].name, "coarse");
  EXPECT_THAT(values_of<std::uint8_t>(arrays[1]), ElementsAre(19, 0));
  EXPECT_EQ(arrays[2].name, "y");
  EXPECT_THAT(values_of<std::uint8_t>(arrays[2]), ElementsAre(99, 0));
}

TEST(Cifar, OfHalfARecordIsAnError) {
  const std::string record = cifar_record("\x01", 'a');
  EXPECT_EQ(
      cifar_refusal(record + record.substr(0, 100), CifarLabels::of_10),
      "'x.bin' is damaged at offset 3073: it has 3173 bytes, which is no multiple of 3073 (1 of labels and 3072 of "
      "pixels); get the file again");
  EXPECT_EQ(cifar_refusal("", CifarLabels::of_20_and_100),
            "'x.bin' is damaged at offset 0: it has 0 bytes, which is no multiple of 3074 (2 of labels and 3072 of "
            "pixels); get the file again");
}

TEST(Cifar, OfALabelBeyondItsClassesIsAnError) {
  const std::string record = cifar_record("\x01", 'a');
  EXPECT_EQ(cifar_refusal(record + cifar_record("\x0a", 'a'), CifarLabels::of_10),
            "'x.bin' is damaged at offset 3073: found the label 10 in record 1, expected 0 to 9; get the file again");
  EXPECT_EQ(cifar_refusal(cifar_record("\x01\x64", 'a'), CifarLabels::of_20_and_100),
            "'x.bin' is damaged at offset 1: found the label 100 in record 0, expected 0 to 99; get the file again");
}

}  // namespace
}  // namespace regatta::data
