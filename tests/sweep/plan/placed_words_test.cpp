#include "regatta/sweep/origins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Words = std::vector<std::string>;

TEST(WordsForFiles, StandBehindTheProgramAndAreNotWritten) {
  EXPECT_THAT(words_for_files({"./solve", "a.cfg", "--in=b.csv", "--fast", "-o", "c.txt", "--output=d.txt", "7"}),
              ElementsAre("a.cfg", "b.csv", "7"));
  EXPECT_THAT(words_for_files({"sh", "-c", "cat a.txt"}), IsEmpty());
  EXPECT_THAT(words_for_files({"sh", "run.sh", "-c"}), ElementsAre("run.sh"));
}

/// The placed words of all trials of a command.
std::vector<Words> placed(const std::string& axes, const std::string& argv) {
  const Plan plan = plan_with(R"("axes": {"engine": "command", "command": "w")" + axes +
                              R"(}, "commands": {"w": {"argv": [)" + argv + "]}}");
  PlacedWords words;
  std::vector<Words> all;
  for (const Trial& trial : plan.trials) all.push_back(words.of(trial));
  return all;
}

TEST(PlacedWords, AreMadeOfTheLevelsOfATrial) {
  const std::string axes = R"(, "config": ["a.txt", "b.txt"])";
  EXPECT_THAT(placed(axes, R"("cat", "{config}")"), ElementsAre(ElementsAre("a.txt"), ElementsAre("b.txt")));
  EXPECT_THAT(placed(axes, R"("cat", "--in=data/{config}", "same.txt")"),
              ElementsAre(ElementsAre("data/a.txt"), ElementsAre("data/b.txt")));
  EXPECT_THAT(placed(axes, R"("cat", "-o", "{config}")"), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(placed(R"(, "n": [1, 2.5])", R"("cat", "{n}", "{n}.csv")"),
              ElementsAre(ElementsAre("1.csv"), ElementsAre("2.5.csv")));
  EXPECT_THAT(placed("", R"("cat", "same.txt")"), ElementsAre(IsEmpty()));
}

TEST(PlacedWords, AreAlsoThoseInsideAScript) {
  EXPECT_THAT(placed(R"(, "n": [7])", R"("sh", "-c", "python3 tell.py {n} < 'in.txt' | tail -n 1 >out.txt")"),
              ElementsAre(ElementsAre("python3", "tell.py", "in.txt", "tail")));
  EXPECT_THAT(placed("", R"("/bin/bash", "-ec", "cc -O2 -o heat heat.c && ./heat; gen > t.txt; use t.txt")"),
              ElementsAre(ElementsAre("cc", "heat.c", "gen", "use")));
  EXPECT_THAT(placed("", R"x("python3", "-c", "print(1)")x"), ElementsAre(IsEmpty()));
}

TEST(OriginOfWord, IsNoNameOfARunner) { EXPECT_EQ(origin_of_word("a.txt"), "file a.txt"); }

}  // namespace
}  // namespace regatta::sweep
