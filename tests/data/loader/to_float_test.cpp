#include "regatta/data/to_float.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "data/arrays.hpp"

namespace regatta::data {
namespace {

using ::testing::ElementsAre;

/// Behind one byte, so that no number is aligned.
template <class Number>
std::vector<float> floats_of(ElementType type, const std::vector<Number>& numbers, Scaling scaling = {}) {
  std::vector<std::byte> bytes(1);
  std::ranges::copy(std::as_bytes(std::span(numbers)), std::back_inserter(bytes));
  std::vector<float> floats(numbers.size());
  to_float32(type, bytes.data() + 1, numbers.size(), scaling, reinterpret_cast<std::byte*>(floats.data()));
  return floats;
}

TEST(ToFloat, TakesNumbersOfEveryType) {
  EXPECT_THAT(floats_of<std::uint8_t>(ElementType::uint8, {0, 255}), ElementsAre(0, 255));
  EXPECT_THAT(floats_of<std::int32_t>(ElementType::int32, {-1, 7}), ElementsAre(-1, 7));
  EXPECT_THAT(floats_of<std::int64_t>(ElementType::int64, {-1, std::int64_t{1} << 40}), ElementsAre(-1, 0x1p40F));
  EXPECT_THAT(floats_of<float>(ElementType::float32, {0.5F, 3}), ElementsAre(0.5F, 3));
  EXPECT_THAT(floats_of<double>(ElementType::float64, {0.1, 3}), ElementsAre(0.1F, 3));
}

TEST(ToFloat, ScalesAndThenShifts) {
  EXPECT_THAT(floats_of<std::uint8_t>(ElementType::uint8, {0, 2}, {0.5F, -1}), ElementsAre(-1, 0));
}

}  // namespace
}  // namespace regatta::data
