#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/findings/findings.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing_support::full_results;

std::vector<std::string> lines_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  return input_lines(view_of(results, findings));
}

void tell(results::TrialRow& trial, const char* bound, double wait, double compute) {
  sweep::set(trial.facts, sweep::Fact::input_bound_by, bound);
  trial.metrics["input_wait"] = wait;
  trial.metrics["input_compute"] = compute;
}

TEST(InputLines, AreNoneWhereNoArmHasALoader) { EXPECT_THAT(lines_of(full_results()), ElementsAre()); }

TEST(InputLines, NameWhatWaitsAndCountTheOthers) {
  results::Results results = full_results();
  tell(results.trials[0], "collate", 31e-6, 69e-6);
  tell(results.trials[1], "consumer", 0, 1e-6);
  tell(results.trials[3], "storage", 0.2e-6, 9.8e-6);
  tell(results.trials[4], "consumer", 1e-9, 1e-6);
  EXPECT_THAT(lines_of(results),
              ElementsAre("native graph batch 1: waits 31 % of a step for batches, bound by collate",
                          "native graph batch 32: waits 2.0 % of a step for batches, bound by storage",
                          "batches were ready (waits below 1 % of a step) in 2 cells"));
}

TEST(InputLines, SayNothingOfTrialsThatDidNotFinishNorMoreThanIsKnown) {
  results::Results results = full_results();
  tell(results.trials[0], "decode", 1, 1);
  results.trials[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  sweep::set(results.trials[1].facts, sweep::Fact::input_bound_by, "a word\nof another worker");
  EXPECT_THAT(lines_of(results), ElementsAre("native eager batch 1: waits 0.0 % of a step for batches, bound by a word "
                                             "of another worker"));
}

}  // namespace
}  // namespace regatta::report
