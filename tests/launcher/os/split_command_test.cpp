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

TEST(Words, ThatOnlyAShellReadsGetAHint) {
  EXPECT_EQ(shell_hint("ls -l 'a | b'"), "");
  EXPECT_EQ(shell_hint("ls | wc"),
            "no shell reads '|' here, so that it is an argument like others; for a shell: sh -c 'ls | wc'");
}

TEST(Words, RefuseAnOpenQuoteAndAnEmptyLine) {
  EXPECT_THROW(split_words("a 'b"), InputError);
  EXPECT_THROW(split_words("  "), InputError);
}

}  // namespace
}  // namespace regatta::launcher
