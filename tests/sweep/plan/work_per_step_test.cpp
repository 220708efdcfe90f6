#include "regatta/sweep/work_per_step.hpp"

#include <gmock/gmock.h>

namespace regatta::sweep {
namespace {

using ::testing::ElementsAre;
using List = std::vector<std::optional<std::int64_t>>;

TEST(WorkPerStep, IsTheBatchWhereBatchesDiffer) {
  EXPECT_THAT(work_per_step(Metric::time_per_sample, List{1, 32}), ElementsAre(1, 32));
  EXPECT_TRUE(is_per_sample(Metric::time_per_sample, List{1, 32}));
}

TEST(WorkPerStep, IsOneWhereTimePerStepIsAskedFor) {
  EXPECT_THAT(work_per_step(Metric::time_per_step, List{1, 32}), ElementsAre(1, 1));
  EXPECT_FALSE(is_per_sample(Metric::time_per_step, List{1, 32}));
}

TEST(WorkPerStep, IsOneWhereAnArmReadsNoBatchOrAllAreEqual) {
  EXPECT_THAT(work_per_step(Metric::time_per_sample, List{1, std::nullopt}), ElementsAre(1, 1));
  EXPECT_THAT(work_per_step(Metric::time_per_sample, List{32, 32}), ElementsAre(1, 1));
  EXPECT_FALSE(is_per_sample(Metric::time_per_sample, List{32, 32}));
  EXPECT_FALSE(is_per_sample(Metric::time_per_sample, List{}));
}

}  // namespace
}  // namespace regatta::sweep
