#include "regatta/sweep/origins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RunnerOf, IsTheEngineAsItIsNamedOrTheCommand) {
  Parameters parameters;
  parameters[Param::engine] = std::string("torch@old");
  EXPECT_EQ(runner_of(parameters), "torch@old");
  parameters[Param::dataset] = std::string("digits");
  EXPECT_EQ(runner_of(parameters), "torch@old");
  parameters[Param::dataset] = std::string("cells");
  EXPECT_EQ(runner_of(parameters), "torch@old on cells");
  parameters[Param::dataset] = {};
  parameters[Param::engine] = std::string("command");
  parameters[Param::command] = std::string("solve");
  EXPECT_EQ(runner_of(parameters), "command solve");
}

TEST(Differences, AreTheWordsOfEachPartThatIsAnother) {
  const Origin then = {{"the contents of a", "1"}, {"the contents of b", "2"}, {"the version of torch", "2.1"}};
  EXPECT_THAT(differences(then, then), IsEmpty());
  EXPECT_THAT(
      differences(then, {{"the contents of a", "3"}, {"the contents of c", "2"}, {"the version of torch", "2.2"}}),
      ElementsAre("the contents of a", "the contents of b", "the contents of c",
                  "the version of torch (2.1 then, 2.2 now)"));
}

TEST(Differences, AreAlsoToWhatWasNotThereButNotToWhatIsGone) {
  const Origin here = {{"the version of torch", "2.1"}};
  EXPECT_THAT(differences({}, here), ElementsAre("the version of torch (none then, 2.1 now)"));
  EXPECT_THAT(differences(here, {}), IsEmpty()) << "it cannot be measured again";
}

}  // namespace
}  // namespace regatta::sweep
