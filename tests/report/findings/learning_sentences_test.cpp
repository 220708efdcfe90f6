#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"
#include "report/findings/learning_words.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing_support::falling;

TEST(LearningSentences, CountWhatWasStoppedAndWhatItCost) {
  const auto results = testing_support::trained({.configurations = 18, .quality = falling(0.95, 0.03)});
  const auto learning = *analysis::learning_of(results);
  EXPECT_EQ(learning_counts(learning).substr(0, 28), "18 configurations, 3 rungs, ");
  EXPECT_THAT(stopped_text(learning), HasSubstr("of 18: "));
  EXPECT_THAT(stopped_text(learning), HasSubstr("% of the samples"));
  EXPECT_THAT(stopped_text(learning), HasSubstr("trained to the end all the same, 0 would have been finalists"));
  EXPECT_THAT(cost_text(learning), HasSubstr("in place of 216 for all configurations"));
  EXPECT_THAT(noise_text(learning), HasSubstr("another seed alone changes validation accuracy by"));
}

TEST(LearningSentences, SayNothingOfASearchThatWasNone) {
  const auto results = testing_support::trained({.searches = false, .quality = falling(0.95, 0.03)});
  const auto learning = *analysis::learning_of(results);
  EXPECT_EQ(stopped_text(learning), "");
  EXPECT_EQ(noise_text(learning), "");
  EXPECT_THAT(cost_text(learning), HasSubstr("108 of 108 trainings"));
}

}  // namespace
}  // namespace regatta::report
