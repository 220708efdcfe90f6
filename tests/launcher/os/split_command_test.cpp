#include "os/split_command.hpp"

#include <gmock/gmock.h>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using testing::ElementsAre;

TEST(Words, AreDividedBySpaces) { EXPECT_THAT(split_words("  a  b\tc "), ElementsAre("a", "b", "c")); }

TEST(Words, AreHeldTogetherByQuotes) {
  EXPECT_THAT(split_words(R"(python3 -c 'print("a b")' "c d"e '')"),
              ElementsAre("python3", "-c", "print(\"a b\")", "c de", ""));
}

TEST(Words, TakeWhatFollowsABackslashAsItIs) {
  EXPECT_THAT(split_words(R"(a\ b "\"" '\')"), ElementsAre("a b", "\"", "\\"));
}

TEST(Words, AreNotExpanded) { EXPECT_THAT(split_words("$HOME *"), ElementsAre("$HOME", "*")); }

TEST(Words, RefuseAnOpenQuoteAndAnEmptyLine) {
  EXPECT_THROW(split_words("a 'b"), InputError);
  EXPECT_THROW(split_words("  "), InputError);
}

}  // namespace
}  // namespace regatta::launcher
