#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/arrays.hpp"
#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Array labels(std::vector<std::int32_t> numbers, std::vector<std::string> categories) {
  Array array = array_of<std::int32_t>("y", ElementType::int32, {}, std::move(numbers));
  array.categories = std::move(categories);
  return array;
}

Samples samples_with(Array y) {
  return {.x = array_of<float>("x", ElementType::float32, {1}, {1, 2}), .y = std::move(y), .group = {}};
}

std::vector<std::int32_t> numbers_of(const Array& array) {
  const auto* first = reinterpret_cast<const std::int32_t*>(array.first);
  return {first, first + array.count};
}

TEST(Likeness, GivesATestPartTheNumbersOfTheTrainingPart) {
  const Samples training = samples_with(labels({0, 1}, {"cat", "dog"}));
  EXPECT_THAT(numbers_of(in_words_of(training, samples_with(labels({0, 1}, {"dog", "cat"})), "t").y),
              ElementsAre(1, 0));
  EXPECT_THAT(numbers_of(in_words_of(training, samples_with(labels({0, 0}, {"dog"})), "t").y), ElementsAre(1, 1));
  EXPECT_THAT(numbers_of(in_words_of(training, training, "t").y), ElementsAre(0, 1));
}

TEST(Likeness, RefusesATestPartOfOtherData) {
  const Samples training = samples_with(labels({0, 1}, {"cat", "dog"}));
  const auto refusal = [&](const Samples& test) -> std::string {
    try {
      in_words_of(training, test, "t.npy");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(refusal(samples_with(labels({0, 1}, {}))), HasSubstr("'t.npy': the array of labels holds numbers where"));
  Samples wide = training;
  wide.x = array_of<float>("x", ElementType::float32, {2}, {1, 2, 3, 4});
  EXPECT_THAT(refusal(wide), HasSubstr("has rows of shape (2), and the training part of shape (1)"));
  Samples bytes = training;
  bytes.x = array_of<std::uint8_t>("x", ElementType::uint8, {1}, {1, 2});
  EXPECT_THAT(refusal(bytes), HasSubstr("holds uint8, and the training part float32"));
}

}  // namespace
}  // namespace regatta::data
