#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "job/job.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

Job job_of(const std::string& body) {
  Job job;
  job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s", )" + body + "}", "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

TEST(BlockEstimates, OfBlocksThatHaveABudgetAreWhatTheyWillUse) {
  const Job job = job_of(R"("axes": {"model": ["mlp-10", "mlp-784"], "mode": ["eager", "graph"], "batch": [1, 2]},
    "compare": {"over": ["mode"], "baseline": {"mode": "eager"}}, "measure": {"per_contrast": "8s", "again": false})");
  const auto estimate = block_estimates(job);
  for (const sweep::Block& block : job.plan.blocks) {
    EXPECT_GE(estimate(block).seconds, 8);
    EXPECT_LE(estimate(block).seconds, 20);
    EXPECT_GT(estimate(block).least_share, 0);
    EXPECT_LE(estimate(block).least_share, 1);
  }
  EXPECT_EQ(estimate(job.plan.blocks[0]).alike, estimate(job.plan.blocks[1]).alike) << "another batch";
  EXPECT_NE(estimate(job.plan.blocks.front()).alike, estimate(job.plan.blocks.back()).alike) << "another model";
}

TEST(BlockEstimates, NobodyKnowsWhatAFixedNumberOfStepsTakes) {
  const Job job = job_of(R"("axes": {"engine": "command", "command": ["a", "b"]}, "measure": {"slices": 4, "steps": 1},
    "commands": {"a": {"argv": ["sleep", "1"]}, "b": {"argv": ["sleep", "2"]}})");
  const auto estimate = block_estimates(job);
  EXPECT_EQ(estimate(job.plan.blocks.front()).seconds, 0);
  EXPECT_EQ(estimate(job.plan.blocks.front()).least_share, 0.25) << "a drain keeps one slice of four";
  EXPECT_NE(estimate(job.plan.blocks.front()).alike, estimate(job.plan.blocks.back()).alike) << "another command";
}

TEST(EndOfTotal, IsOfProgramsThatAreNotCompared) {
  const std::string programs = R"("axes": {"engine": "command", "command": "a", "n": [1, 2]},
    "commands": {"a": {"argv": ["sleep", "{n}"]}}, "measure": {"total": "5s"})";
  EXPECT_EQ(end_of_total_seconds(job_of(programs), 1000), 1005);
  EXPECT_TRUE(
      std::isinf(end_of_total_seconds(job_of(programs + R"(, "compare": {"over": "n", "baseline": {"n": 1}})"), 1000)));
  EXPECT_TRUE(std::isinf(end_of_total_seconds(
      job_of(R"("axes": {"model": "mlp-10", "batch": [1, 2]}, "measure": {"total": "5s"})"), 1000)));
  EXPECT_TRUE(std::isinf(end_of_total_seconds(job_of(R"("axes": {"engine": "command", "command": "a"},
    "commands": {"a": {"argv": ["sleep", "1"]}})"),
                                              1000)));
}

TEST(EndOfAllocation, IsWhatSlurmSaysLessTheTimeOfADrain) {
  ::unsetenv("SLURM_JOB_END_TIME");
  EXPECT_TRUE(std::isinf(end_of_allocation_seconds()));
  ::setenv("SLURM_JOB_END_TIME", "1800000000", 1);
  EXPECT_EQ(end_of_allocation_seconds(), 1800000000 - 180);
  ::setenv("SLURM_JOB_START_TIME", "1799990000", 1);
  EXPECT_EQ(end_of_allocation_seconds(), 1800000000 - 180);
  ::setenv("SLURM_JOB_START_TIME", "1799999900", 1);
  EXPECT_EQ(end_of_allocation_seconds(), 1800000000 - 10) << "most of 100 s is for blocks";
  ::unsetenv("SLURM_JOB_START_TIME");
  ::setenv("SLURM_JOB_END_TIME", "soon", 1);
  EXPECT_TRUE(std::isinf(end_of_allocation_seconds()));
  ::unsetenv("SLURM_JOB_END_TIME");
}

}  // namespace
}  // namespace regatta::launcher
