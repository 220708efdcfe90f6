#include "regatta/sweep/training_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

using testing::HasSubstr;

TEST(TrainingParts, AreAllSamples) {
  for (const std::int64_t samples : {1, 4, 7, 1400}) {
    for (const double share : {0.0, 0.001, 0.25, 0.9}) {
      const TrainingParts parts = training_parts(samples, share);
      EXPECT_EQ(parts.training + parts.validation, samples);
      EXPECT_NEAR(static_cast<double>(parts.validation), static_cast<double>(samples) * share, 0.5);
    }
  }
}

TEST(TrainingParts, HoldAWholeBatch) {
  const TrainingParts parts = training_parts(80, 0.25);
  EXPECT_EQ(no_step_reason(parts, 60), std::nullopt);
  EXPECT_THAT(no_step_reason(parts, 61).value_or(""), HasSubstr("batch is 61, the training part has 60 samples"));
}

TEST(TrainingParts, HaveAValidationPartIfOneIsAskedFor) {
  EXPECT_EQ(no_validation_reason(training_parts(80, 0), 0), std::nullopt);
  EXPECT_EQ(no_validation_reason(training_parts(80, 0.25), 0.25), std::nullopt);
  EXPECT_THAT(no_validation_reason(training_parts(80, 0.001), 0.001).value_or(""),
              HasSubstr("validation is 0.001, of 80 samples none"));
}

}  // namespace
}  // namespace regatta::sweep
