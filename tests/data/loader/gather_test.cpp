#include "data/loader/gather.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/arrays.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::uint8_t> counting(std::size_t count) {
  std::vector<std::uint8_t> values(count);
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  return values;
}

FieldOptions as(ElementType type, float scale = 1, float shift = 0) {
  FieldOptions options;
  options.type = type;
  options.scale = scale;
  options.shift = shift;
  return options;
}

template <class Number>
std::vector<Number> gathered(const Array& array, const FieldOptions& options, std::vector<std::uint32_t> samples) {
  const std::size_t bytes = row_bytes(field_of(array, options)) * samples.size();
  std::vector<std::byte> out(bytes);
  gather(array, options, samples, out.data());
  return numbers_at<Number>(out.data(), bytes / sizeof(Number));
}

TEST(Gather, KnowsWhatIsMoreThanACopy) {
  const Array array = array_of("x", ElementType::uint8, {4}, counting(8));
  FieldOptions flipped;
  flipped.flips = true;
  EXPECT_FALSE(is_decoded(array, {}));
  EXPECT_FALSE(is_decoded(array, as(ElementType::uint8)));
  EXPECT_TRUE(is_decoded(array, as(ElementType::float32)));
  EXPECT_TRUE(is_decoded(array, flipped));
  const Array floats = array_of("x", ElementType::float32, {1}, std::vector<float>(2));
  EXPECT_FALSE(is_decoded(floats, as(ElementType::float32)));
  EXPECT_TRUE(is_decoded(floats, as(ElementType::float32, 2)));
}

std::string error_of(const Array& array, const FieldOptions& options) {
  try {
    field_of(array, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Gather, CopiesRowsOfAnyLength) {
  for (const std::int64_t width : {1, 3, 4, 8, 16, 24, 32, 64, 70}) {
    const Array rows = array_of("x", ElementType::uint8, {width}, counting(static_cast<std::size_t>(3 * width)));
    const auto out = gathered<std::uint8_t>(rows, {}, {2, 0});
    ASSERT_EQ(out.size(), static_cast<std::size_t>(2 * width));
    EXPECT_EQ(out.front(), static_cast<std::uint8_t>(2 * width));
    EXPECT_EQ(out[static_cast<std::size_t>(width)], 0);
    EXPECT_EQ(out.back(), static_cast<std::uint8_t>(width - 1));
  }
}

TEST(Gather, StepsOverWhatLiesBetweenRows) {
  Array rows = array_of("x", ElementType::uint8, {3}, counting(12));
  rows.first += 1;  // a label in front of each row
  rows.stride_bytes = 4;
  rows.count = 3;
  EXPECT_THAT(gathered<std::uint8_t>(rows, {}, {1, 2}), ElementsAre(5, 6, 7, 9, 10, 11));
}

TEST(Gather, ScalesToFloats) {
  const Array rows = array_of("x", ElementType::uint8, {2}, counting(6));
  EXPECT_THAT(gathered<float>(rows, as(ElementType::float32, 0.5F, -1), {2, 0}), ElementsAre(1, 1.5F, -1, -0.5F));
  const Array doubles = array_of<double>("x", ElementType::float64, {1}, {1.5, 2.5});
  EXPECT_THAT(gathered<float>(doubles, as(ElementType::float32), {1}), ElementsAre(2.5F));
  const Array floats = array_of<float>("x", ElementType::float32, {1}, {1.5F, 2.5F});
  EXPECT_THAT(gathered<float>(floats, as(ElementType::float32, 2), {1}), ElementsAre(5));
  const Array integers = array_of<std::int32_t>("x", ElementType::int32, {1}, {-1, 2});
  EXPECT_THAT(gathered<float>(integers, as(ElementType::float32), {0}), ElementsAre(-1));
}

TEST(Gather, NarrowsLabelsThatFit) {
  const Array labels = array_of<std::int64_t>("y", ElementType::int64, {}, {7, -1, std::int64_t{1} << 40});
  EXPECT_THAT(gathered<std::int32_t>(labels, as(ElementType::int32), {1, 0}), ElementsAre(-1, 7));
  EXPECT_THROW(gathered<std::int32_t>(labels, as(ElementType::int32), {2}), InputError);
  const Array bytes = array_of("y", ElementType::uint8, {}, counting(4));
  EXPECT_THAT(gathered<std::int32_t>(bytes, as(ElementType::int32), {3}), ElementsAre(3));
}

TEST(Fields, RefuseWhatWouldLoseSomething) {
  const Array floats = array_of<float>("x", ElementType::float32, {1}, {1});
  const Array bytes = array_of("y", ElementType::uint8, {}, counting(4));
  EXPECT_THAT(error_of(floats, as(ElementType::int32)), HasSubstr("cut off as int32"));
  EXPECT_THAT(error_of(floats, as(ElementType::float64)), HasSubstr("is not turned into float64"));
  EXPECT_THAT(error_of(bytes, as(ElementType::uint8, 2)), HasSubstr("not scaled"));
  FieldOptions mirrored;
  mirrored.flips = true;
  EXPECT_THAT(error_of(bytes, mirrored), HasSubstr("no axis to mirror"));
}

TEST(Mirror, TurnsTheLastAxisOfSomeSamples) {
  const Array rows = array_of("x", ElementType::uint8, {2, 3}, counting(6 * 40));
  std::vector<std::uint32_t> samples(40);
  std::iota(samples.begin(), samples.end(), 0U);
  auto out = gathered<std::uint8_t>(rows, {}, samples);
  mirror({ElementType::uint8, {2, 3}}, 5, samples, reinterpret_cast<std::byte*>(out.data()));
  int mirrored = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto value = static_cast<std::uint8_t>(6 * i);
    const bool is_turned = out[6 * i] != value;
    mirrored += is_turned ? 1 : 0;
    EXPECT_EQ(out[6 * i + 2], is_turned ? value : value + 2);
    EXPECT_EQ(out[6 * i + 3], is_turned ? value + 5 : value + 3);
    EXPECT_EQ(out[6 * i + 4], value + 4);
  }
  EXPECT_GT(mirrored, 8);
  EXPECT_LT(mirrored, 32);
}

TEST(Mirror, TurnsNumbersOfAnySize) {
  const auto turned = [](ElementType type, auto values) {
    std::vector<std::uint32_t> sample{0};
    for (std::uint64_t key = 0; key < 20; ++key) {
      auto out = values;
      mirror({type, {static_cast<std::int64_t>(values.size())}}, key, sample, reinterpret_cast<std::byte*>(out.data()));
      if (out != values) return out;
    }
    return values;
  };
  EXPECT_THAT(turned(ElementType::float32, std::vector<float>{1, 2, 3}), ElementsAre(3, 2, 1));
  EXPECT_THAT(turned(ElementType::int64, std::vector<std::int64_t>{1, 2}), ElementsAre(2, 1));
}

TEST(Storage, IsNotWaitedForWhereRowsAreInMemory) {
  const Array rows = array_of("x", ElementType::uint8, {4096}, std::vector<std::uint8_t>(std::size_t{4096} * 100, 1));
  EXPECT_TRUE(is_in_memory(rows));
  std::vector<std::uint32_t> samples{99, 0};
  await_rows(rows, samples);
}

}  // namespace
}  // namespace regatta::data
