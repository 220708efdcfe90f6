#include "os/ask_program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "regatta/base/clock.hpp"

namespace regatta::launcher {
namespace {

TEST(OutputOf, IsWhatAProgramPrintsOnStandardOutput) {
  EXPECT_EQ(output_of({"sh", "-c", "echo $WORD; echo noise >&2"}, {{"WORD", "hello"}}, 10), "hello\n");
}

TEST(OutputOf, IsNothingForAProgramThatFailsOrDoesNotExist) {
  EXPECT_EQ(output_of({"sh", "-c", "echo hello; exit 1"}, {}, 10), std::nullopt);
  EXPECT_EQ(output_of({"sh", "-c", "kill -9 $$"}, {}, 10), std::nullopt);
  EXPECT_EQ(output_of({"/nowhere/program"}, {}, 10), std::nullopt);
}

TEST(OutputOf, EndsWithTheDeadlineWhetherOrNotThePipeIsOpen) {
  for (const char* script : {"sleep 60", "exec >&-; sleep 60", "yes"}) {
    const Deadline generous = Deadline::after(30);
    EXPECT_EQ(output_of({"sh", "-c", script}, {}, 0.05), std::nullopt) << script;
    EXPECT_FALSE(generous.passed()) << script;
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left behind: " << script;
  }
}

TEST(OutputOf, KeepsTheEndOfALongText) {
  const auto text = output_of({"sh", "-c", "head -c 1000000 /dev/zero; echo the end"}, {}, 30);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->size(), std::size_t{64} << 10);
  EXPECT_TRUE(text->ends_with("the end\n"));
}

TEST(FindProgram, LooksInThePathForBareNamesOnly) {
  ASSERT_TRUE(find_program("sh").has_value());
  EXPECT_EQ(find_program("sh")->back(), 'h');
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("./sh"), std::nullopt);
  EXPECT_EQ(find_program("no-such-program-anywhere"), std::nullopt);
  EXPECT_EQ(find_program("/tmp"), std::nullopt) << "a folder";
}

}  // namespace
}  // namespace regatta::launcher
