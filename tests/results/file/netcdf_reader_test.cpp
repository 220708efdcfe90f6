#include "results/file/netcdf_reader.hpp"

#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"
#include "results/file/netcdf_test.hpp"

namespace regatta::results::hdf5 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two dimensions and columns of each kind.
const WrittenGroup& sample() {
  static const WrittenGroup written([](GroupWriter& group) {
    group.rows("row", 3);
    group.rows("other", 1);
    group.variable("small", {"row"}, std::vector<std::int8_t>{-1, 0, 1});
    group.variable("large", {"row"}, std::vector<std::int64_t>{INT64_MIN, 0, INT64_MAX}, INT64_MIN);
    group.variable("number", {"row"}, std::vector<double>{0.1, -0.0, 1e300});
    group.variable("word", {"row"}, std::vector<std::string>{"", "\xc3\xbc", std::string(5000, 'x')});
    group.variable("single", {}, std::vector<std::string>{"one"});
    group.variable("single_empty", {}, std::vector<std::string>{""});
    group.variable("elsewhere", {"other"}, std::vector<double>{7});
  });
  return written;
}

GroupReader reader() { return {columns_of(sample().file()), "group", "row"}; }

TEST(GroupReader, GivesBackEveryKindOfColumn) {
  EXPECT_EQ(reader().rows(), 3U);
  EXPECT_THAT(reader().integers("small"), ElementsAre(-1, 0, 1));
  EXPECT_THAT(reader().integers("large"), ElementsAre(INT64_MIN, 0, INT64_MAX));
  EXPECT_THAT(reader().numbers("number"), ElementsAre(0.1, -0.0, 1e300));
  EXPECT_THAT(reader().texts("word"), ElementsAre("", "\xc3\xbc", std::string(5000, 'x')));
  EXPECT_EQ(reader().text("single"), "one");
  EXPECT_EQ(reader().text("single_empty"), "");
  EXPECT_THAT(reader().along("other").numbers("elsewhere"), ElementsAre(7));
}

TEST(GroupReader, FillValueStandsOnlyWhereItWasGiven) {
  EXPECT_EQ(reader().fill_of("large"), INT64_MIN);
  EXPECT_EQ(reader().fill_of("small"), std::nullopt);
}

TEST(GroupReader, ListsItsVariablesAsTheyWereWritten) {
  EXPECT_THAT(reader().variables(),
              ElementsAre("row", "other", "small", "large", "number", "word", "single", "single_empty", "elsewhere"));
  EXPECT_TRUE(reader().has("word"));
  EXPECT_FALSE(reader().has("wort"));
}

TEST(GroupReader, WhatIsNotAsExpectedIsNamed) {
  const QuietErrors quiet;
  EXPECT_THAT(message_of<InputError>([] { return reader().numbers("none"); }),
              HasSubstr("/group lacks the variable 'none'"));
  EXPECT_THAT(message_of<InputError>([] { return reader().numbers("elsewhere"); }), HasSubstr("has 1 rows, not 3"));
  EXPECT_THAT(message_of<InputError>([] { return reader().integers_in("small", 0, 2); }),
              HasSubstr("holds -1, which is not in [0, 2)"));
  EXPECT_THAT(message_of<InputError>([] { return reader().integers_in("small", -1, 1); }),
              HasSubstr("holds 1, which is not in [-1, 1)"));
  EXPECT_THAT(message_of<InputError>([] { return reader().texts("number"); }), HasSubstr("does not hold text"));
  EXPECT_THAT(message_of<InputError>([] { return reader().numbers("word"); }), HasSubstr("does not hold numbers"));
  EXPECT_THAT(message_of<InputError>([] { return GroupReader(columns_of(sample().file()), "none", ""); }),
              HasSubstr("the group /none is missing"));
}

}  // namespace
}  // namespace regatta::results::hdf5
