#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "data/arrays.hpp"
#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

std::string refusal(const Array& array, const std::vector<float>& values, const char* what = "numbers") {
  try {
    need_finite(values, array, "my.file", what);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Array floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return array_of<float>("x", ElementType::float32, std::move(shape), values);
}

TEST(Finite, NamesFileSampleAndColumn) {
  const std::vector<float> values = {1, 2, 3, nan, 5, nan};
  Array table = floats({2}, values);
  table.columns = {{"length", {}}, {"width", {}, 2}};
  EXPECT_THAT(refusal(table, values),
              AllOf(HasSubstr("'my.file': sample 2 (counted from 1, the header not), column \"width\" is no value"),
                    HasSubstr("and so is another one of its numbers (")));
  table.columns = {{"", {}}, {"", {}, 2}};
  EXPECT_THAT(refusal(table, values), HasSubstr("column 1 is"));
}

TEST(Finite, NamesTheElementOfASampleThatIsNoRowOfATable) {
  std::vector<float> values(12);
  values[11] = infinite;
  EXPECT_THAT(refusal(floats({2, 3}, values), values),
              AllOf(HasSubstr("sample 2 (counted from 1), element [1, 2] is infinite as a 32-bit float"),
                    Not(HasSubstr("and so"))));
  for (std::size_t at = 1; at < values.size(); ++at) values[at] = nan;
  EXPECT_THAT(refusal(floats({}, values), values, "labels"),
              AllOf(HasSubstr("sample 2 (counted from 1) is"), HasSubstr("and so are 10 others of its labels"),
                    Not(HasSubstr("element"))));
}

TEST(Finite, LetsNumbersBe) {
  const std::vector<float> values = {0, -std::numeric_limits<float>::max()};
  EXPECT_EQ(refusal(floats({}, values), values), "no error");
}

}  // namespace
}  // namespace regatta::data
