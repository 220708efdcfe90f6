#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/sweep/reader.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

std::string replaced(std::string_view word) {
  return with_placeholders_replaced(word, [](std::string_view name) { return "<" + std::string(name) + ">"; });
}

TEST(Placeholders, StandForTheirAxes) {
  EXPECT_EQ(replaced("--n={n}"), "--n=<n>");
  EXPECT_EQ(replaced("{a}{b}-{a}"), "<a><b>-<a>");
  EXPECT_EQ(replaced("{layers.0.dense}"), "<layers.0.dense>");
  EXPECT_THAT(placeholders_of("{a} {{b}} {a} {c}"), testing::ElementsAre("a", "a", "c"));
}

TEST(Placeholders, DoubledBracesAreTheTextItself) {
  EXPECT_EQ(replaced("{{n}}"), "{n}");
  EXPECT_EQ(replaced("{{n}}{n}"), "{n}<n>");
  EXPECT_EQ(replaced("{{{n}}}"), "{{n}}") << "a brace, {{n}}, a brace";
}

TEST(Placeholders, AShellsVariableStaysAsItIs) { EXPECT_EQ(replaced("echo ${HOME}/{n}"), "echo ${HOME}/<n>"); }

TEST(Placeholders, AWordCanBeWrittenSoThatNothingInItIsOne) {
  for (const char* const word : {"{n}", "{{n}}", "a{n}{m}b", "{ print }", "${n}", "{", "}}", "{{{n}}}", ""})
    EXPECT_EQ(replaced(literal_word(word)), word) << literal_word(word);
}

TEST(Placeholders, OtherBracesStayAsTheyAre) {
  for (const char* const word :
       {"{ print $1 }", "{}", "{1}", "{\"a\": {\"b\": 1}}", "{n", "n}", "{", "}", "{a b}", "{{}}", ""})
    EXPECT_EQ(replaced(word), word);
}

}  // namespace
}  // namespace regatta::sweep
