#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/job.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines_for(const std::string& axes, const std::string& argument) {
  const sweep::Sweep sweep =
      sweep::parse_sweep(R"({"regatta": 1, "name": "r", "axes": {"command": "heat", )" + axes +
                             R"(}, "commands": {"heat": {"argv": ["./heat", ")" + argument + R"("]}}})",
                         "r.json");
  return unread_axes_lines(sweep, sweep::make_plan(sweep));
}

TEST(UnreadAxes, AreNamedWithWhatAProgramNeedsToReadThem) {
  EXPECT_THAT(lines_for(R"("engine": "command", "seed": [1, 2, 3])", "7"),
              ElementsAre("nothing reads the axis \"seed\": its 3 levels are measured once. Write {seed} into the "
                          "arguments of a program, or \"reads\": [\"seed\"] beside them"));
}

TEST(UnreadAxes, AreNoneThatSomeTrialReadsOrThatHaveOneLevel) {
  EXPECT_THAT(lines_for(R"("engine": "command", "seed": [1, 2, 3])", "{seed}"), IsEmpty());
  EXPECT_THAT(lines_for(R"("engine": "command", "seed": 1)", "7"), IsEmpty());
  EXPECT_THAT(lines_for(R"("engine": ["command", "native"], "model": "mlp-10", "batch": [1, 32])", "7"), IsEmpty());
}

}  // namespace
}  // namespace regatta::launcher
