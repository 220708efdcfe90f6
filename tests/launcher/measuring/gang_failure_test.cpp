#include <gtest/gtest.h>

#include <stdexcept>

#include "children/spawner_client.hpp"
#include "children/worker_death.hpp"
#include "measuring/measuring.hpp"
#include "regatta/measure/arms.hpp"

namespace regatta::launcher {
namespace {

const protocol::GangPlace place{{4}, {2}, {1}};

template <class Thrown>
protocol::GangFailed told_of(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return failure_now(place);
  }
}

TEST(GangFailure, SaysWhetherAProcessDiedOrAnswered) {
  const auto died = told_of(WorkerDied(sweep::FailureKind::crashed, "killed by signal 9"));
  EXPECT_TRUE(died.died);
  EXPECT_EQ(died.kind, sweep::FailureKind::crashed);
  EXPECT_EQ(died.message, "killed by signal 9");
  EXPECT_EQ(died.place, place);
  EXPECT_GT(died.seconds, 0);
  const auto failed = told_of(measure::ArmEnded{sweep::Failed{sweep::FailureKind::out_of_memory, "no memory"}});
  EXPECT_FALSE(failed.died);
  EXPECT_EQ(failed.kind, sweep::FailureKind::out_of_memory);
  EXPECT_EQ(failed.message, "no memory");
  const auto skipped = told_of(measure::ArmEnded{sweep::Skipped{"no such engine"}});
  EXPECT_TRUE(skipped.skips);
  EXPECT_EQ(skipped.message, "no such engine");
  EXPECT_TRUE(told_of(GivenUp{}).gave_up);
}

TEST(GangFailure, LetsAnyOtherExceptionGoOn) { EXPECT_THROW(told_of(std::logic_error("ours")), std::logic_error); }

TEST(GangFailure, CauseComesBeforeWhatItCauses) {
  protocol::GangFailed late;
  late.seconds = 5;
  protocol::GangFailed early;
  early.seconds = 4;
  EXPECT_TRUE(comes_before(early, late));
  EXPECT_FALSE(comes_before(late, early));
  late.died = true;
  EXPECT_TRUE(comes_before(late, early)) << "the others waited for it";
  early.died = true;
  early.told = true;
  late.died = false;
  EXPECT_TRUE(comes_before(late, early)) << "it was ended because of the other one";
  EXPECT_FALSE(comes_before(early, late));
}

TEST(GangFailure, RanksOfDifferentArithmeticAreSkipped) {
  EXPECT_NO_THROW(require_one_arithmetic({"fused", "fused", "fused"}));
  EXPECT_NO_THROW(require_one_arithmetic({"", ""})) << "engines that do not tell";
  try {
    require_one_arithmetic({"fused", "fused", "separate"});
    FAIL() << "ranks that differ were let through";
  } catch (const measure::ArmEnded& ended) {
    const auto& [reason, kind] = std::get<sweep::Skipped>(ended.outcome);
    EXPECT_EQ(kind, sweep::SkipKind::not_answerable);
    EXPECT_NE(reason.find("ranks 0 and 2 compute in different arithmetic, fused and separate"), std::string::npos)
        << reason;
  }
}

}  // namespace
}  // namespace regatta::launcher
