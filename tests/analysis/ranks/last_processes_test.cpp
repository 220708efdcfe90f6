#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/ranks/ranks.hpp"

namespace regatta::analysis {
namespace {

using testing::ElementsAre;

struct Made {
  results::Results results;

  Made() {
    results.trials.resize(2);
    results.blocks.resize(2);
    results.blocks[0].arms = {TrialIndex{0}, TrialIndex{1}};
    results.blocks[1].arms = {TrialIndex{0}, TrialIndex{0}};
    results.blocks[1].has_clone = true;
  }
  void add(std::uint32_t trial, std::uint16_t arm, stats::Phase phase, std::uint32_t steps, double seconds,
           BlockIndex block = {0}) {
    stats::Sample sample;
    sample.arm = arm;
    sample.phase = phase;
    sample.steps = steps;
    sample.seconds = seconds;
    results.samples.push_back({TrialIndex{trial}, block, sample});
  }
};

TEST(LastProcesses, AreThoseBehindTheLastFirstStep) {
  Made made;
  made.add(0, 0, stats::Phase::first, 1, 9);
  made.add(0, 0, stats::Phase::steady, 10, 50);
  made.add(0, 0, stats::Phase::first, 1, 9);
  made.add(0, 0, stats::Phase::reentry, 1, 8);
  made.add(0, 0, stats::Phase::steady, 10, 20);
  made.add(0, 0, stats::Phase::steady, 30, 40);
  EXPECT_THAT(last_process_steps(made.results), ElementsAre(1.5, 0));
}

TEST(LastProcesses, AreNotThoseOfTheSameCodeMeasuredAgain) {
  Made made;
  made.add(0, 0, stats::Phase::steady, 10, 20);
  made.add(0, 1, stats::Phase::first, 1, 9, {1});
  made.add(0, 1, stats::Phase::steady, 10, 70, {1});
  EXPECT_THAT(last_process_steps(made.results), ElementsAre(2, 0));
}

}  // namespace
}  // namespace regatta::analysis
