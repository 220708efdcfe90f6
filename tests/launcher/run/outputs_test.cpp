#include "run/outputs.hpp"

#include <gtest/gtest.h>

#include "regatta/base/exit_code.hpp"
#include "regatta/results/open_work.hpp"
#include "report/sample_results.hpp"

namespace regatta::launcher {
namespace {

TEST(StoppedLine, CountsWhatIsOpenInOneLine) {
  results::Results results = testing_support::sample_results();  // 7 trials: one failed, one skipped
  for (const std::size_t trial : {0, 1, 2}) results.trials[trial].outcome = sweep::Lost{};
  EXPECT_EQ(stopped_line(results),
            "sample: stopped with work left; 7 trials: 2 finished, 1 failed, 1 skipped, 3 open; run the same command "
            "again to go on");
}

TEST(StoppedLine, CountsWhatADrainInterruptedAsOpen) {
  results::Results results;
  results.name = "s";
  results.trials.resize(4);
  for (const std::size_t trial : {0, 1, 2}) results.trials[trial].outcome = sweep::Finished{};
  results.trials[3].outcome = sweep::Failed{sweep::FailureKind::crashed, ""};
  const auto block = [](std::uint8_t id, std::vector<TrialIndex> arms) {
    results::BlockRow row;
    row.hash.bytes[0] = id;
    row.arms = std::move(arms);
    row.attempt = 1;
    return row;
  };
  results.blocks = {block(1, {{0}, {1}}), block(2, {{0}, {2}, {3}})};  // both have the baseline
  results::reopen(results, {results.blocks[1].hash});
  EXPECT_EQ(stopped_line(results),
            "s: stopped with work left; 4 trials: 2 finished, 1 failed, 0 skipped, 1 open; run the same command again "
            "to go on");
}

TEST(ExitCode, SaysThatWorkIsLeftBeforeThatSomeFailed) {
  results::Results results = testing_support::sample_results();
  EXPECT_EQ(exit_code_for(results), 1);
  results.trials[0].outcome = sweep::Lost{};
  EXPECT_EQ(exit_code_for(results), exit_code::work_left);
}

TEST(ExitCode, TellsATrainingOfWhichNothingWasTrained) {
  results::Results results;
  results.trials.resize(1);
  results.trials[0].outcome = sweep::Skipped{"not installed"};
  EXPECT_EQ(exit_code_for(results), exit_code::done) << "a benchmark";
  results.legs.resize(2);
  for (results::LegRow& leg : results.legs) leg.outcome = sweep::Skipped{"not installed"};
  EXPECT_EQ(exit_code_for(results), exit_code::bad_input);
  results.legs[1].outcome = sweep::Finished{};
  results.legs[1].learned.end = sweep::LegEnd::diverged;
  EXPECT_EQ(exit_code_for(results), exit_code::done) << "to diverge is no failure";
}

}  // namespace
}  // namespace regatta::launcher
