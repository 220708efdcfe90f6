#include <gtest/gtest.h>

#include "measuring/measuring.hpp"
#include "regatta/base/error.hpp"
#include "regatta/measure/arms.hpp"

namespace regatta::launcher {
namespace {

sweep::Outcome end_of(const char* kind) {
  protocol::Error error;
  error.kind = kind;
  error.message = "why";
  try {
    end_arm(error, WorkerCode::native);
  } catch (const measure::ArmEnded& ended) {
    return ended.outcome;
  }
}

TEST(WorkerReplies, OfWhatAnEngineDoesNotHaveSkipTheArm) {
  EXPECT_EQ(std::get<sweep::Skipped>(end_of("unsupported")).reason, "why");
}

TEST(WorkerReplies, OfErrorsFailTheArmByTheirKind) {
  using sweep::FailureKind;
  EXPECT_EQ(std::get<sweep::Failed>(end_of("out_of_memory")).kind, FailureKind::out_of_memory);
  EXPECT_EQ(std::get<sweep::Failed>(end_of("device")).kind, FailureKind::device);
  EXPECT_EQ(std::get<sweep::Failed>(end_of("else")).kind, FailureKind::reported);
}

TEST(WorkerReplies, OfADiskThatIsFullLeaveTheTrialOpenWhereTheWorkerIsRegattas) {
  protocol::Error error;
  error.kind = "storage";
  error.message = "cannot write 'x': No space left on device";
  EXPECT_THROW(end_arm(error, WorkerCode::native), StorageError);
  EXPECT_THROW(end_arm(error, WorkerCode::package), StorageError);
  EXPECT_THROW(end_arm(error, WorkerCode::of_others), measure::ArmEnded) << "a stranger's worker ends no run";
}

}  // namespace
}  // namespace regatta::launcher
