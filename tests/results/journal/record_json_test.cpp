#include "results/journal/record_json.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "results/sample_sweep.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

TEST(Records, ResultComesBackAsItWas) {
  const SampleSweep sample = sample_sweep();
  ResultRecord result{finished_block(sample.plan, {1}, 2), {640, 20, 0xffffffff}};
  result.block.arms[0].outcome = sweep::Failed{sweep::FailureKind::flooded, "64 MiB"};
  result.block.arms[1].outcome = sweep::Skipped{"no such environment"};
  result.block.start_wall_seconds = 0.1 + 0.2;
  const ResultRecord read = parse_result(to_record(result));
  EXPECT_EQ(read.block.block, result.block.block);
  EXPECT_EQ(read.block.attempt, 2U);
  EXPECT_EQ(read.block.start_wall_seconds, 0.1 + 0.2);
  EXPECT_EQ(read.block.flags, result.block.flags);
  EXPECT_EQ(read.samples.crc, 0xffffffff);
  ASSERT_EQ(read.block.arms.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const ArmRecord& a = read.block.arms[i];
    const ArmRecord& b = result.block.arms[i];
    EXPECT_EQ(std::tie(a.trial, a.environment, a.engine, a.engine_version, a.prepare_seconds, a.peak_bytes, a.verified,
                       a.verified_detail, a.kernels),
              std::tie(b.trial, b.environment, b.engine, b.engine_version, b.prepare_seconds, b.peak_bytes, b.verified,
                       b.verified_detail, b.kernels));
    EXPECT_EQ(a.outcome.index(), b.outcome.index());
    EXPECT_EQ(sweep::reason_of(a.outcome), sweep::reason_of(b.outcome));
  }
}

TEST(Records, PlanKeepsAxesOfEveryTypeAndItsIds) {
  const SampleSweep sample = sample_sweep();
  PlanRecord plan{sample.sweep.text, "/a/b.json", sample.sweep.axes, {sample.plan.trials[0].hash}, {}};
  const PlanRecord read = parse_plan(to_record(plan, {}));
  EXPECT_EQ(read.text, plan.text);
  EXPECT_EQ(read.file, plan.file);
  EXPECT_EQ(read.trials, plan.trials);
  ASSERT_EQ(read.axes.size(), plan.axes.size());
  for (std::size_t i = 0; i < read.axes.size(); ++i) {
    EXPECT_EQ(read.axes[i].param, plan.axes[i].param);
    EXPECT_EQ(read.axes[i].levels, plan.axes[i].levels);
  }
}

TEST(Records, SweepHashFollowsTextAndAxes) {
  sweep::Sweep sweep = sample_sweep().sweep;
  const Hash128 before = sweep_hash(sweep);
  sweep.axes.back().levels.pop_back();
  EXPECT_NE(sweep_hash(sweep), before);
  sweep = sample_sweep().sweep;
  EXPECT_EQ(sweep_hash(sweep), before);
  sweep.text += "\n";
  EXPECT_NE(sweep_hash(sweep), before);
}

TEST(Records, TimeThatIsNoNumberSurvives) {
  ResultRecord result;
  result.block.start_wall_seconds = std::nan("");
  EXPECT_TRUE(std::isnan(parse_result(to_record(result)).block.start_wall_seconds));
}

TEST(Records, AgentsOfEarlierVersionsHaveNoCalibration) {
  Record record = to_record(calibrated_agent(), {});
  EXPECT_EQ(parse_agent(record).device.calibration.threads, 2);
  const auto start = record.json.find(",\"calibration\":{");
  ASSERT_NE(start, std::string::npos);
  record.json.erase(start, record.json.find('}', start) + 1 - start);
  EXPECT_EQ(parse_agent(record).device.calibration.threads, 0);
}

TEST(Records, RecordOfAnotherVersionNamesWhatItLacks) {
  Record record = to_record(AgentRecord{}, {});
  record.json = R"({"agent": 0})";
  EXPECT_THAT(message_of<InputError>([&] { parse_agent(record); }),
              testing::AllOf(HasSubstr("agent record"), HasSubstr("host")));
  record = to_record(FailedAttemptRecord{});
  record.json = R"({"trial": "00000000000000000000000000000000", "failure": "melted", "message": ""})";
  EXPECT_THAT(message_of<InputError>([&] { parse_failed_attempt(record); }), HasSubstr("'melted'"));
  record.json = "{";
  EXPECT_THROW(parse_failed_attempt(record), InputError);
}

}  // namespace
}  // namespace regatta::results
