#include "results/journal/record_codec.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "results/files_and_messages.hpp"
#include "results/journal/record_json.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"

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
    const sweep::ArmOutcome& a = read.block.arms[i];
    const sweep::ArmOutcome& b = result.block.arms[i];
    EXPECT_EQ(std::tie(a.trial, a.environment, a.engine, a.verified, a.facts),
              std::tie(b.trial, b.environment, b.engine, b.verified, b.facts));
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

TEST(Records, TimeThatIsNoNumberSurvives) {
  ResultRecord result;
  result.block.start_wall_seconds = std::nan("");
  EXPECT_TRUE(std::isnan(parse_result(to_record(result)).block.start_wall_seconds));
}

TEST(Records, RecordOfAnotherVersionNamesWhatItLacks) {
  Record record = to_record(AgentRecord{}, {});
  record.payload = R"({"agent": 0})";
  EXPECT_THAT(message_of<InputError>([&] { parse_agent(record); }),
              testing::AllOf(HasSubstr("agent record"), HasSubstr("host")));
  record = to_record(FailedAttemptRecord{});
  record.payload[16] = '\x63';  // its kind, behind the trial's hash
  EXPECT_THAT(message_of<InputError>([&] { parse_failed_attempt(record); }), HasSubstr("a kind of failure 99"));
  record.payload = "{";
  EXPECT_THROW(parse_failed_attempt(record), InputError);
  record = to_record(AgentRecord{}, {});
  record.payload = "{";
  EXPECT_THAT(message_of<InputError>([&] { parse_agent(record); }),
              testing::AllOf(HasSubstr("parse error"), testing::Not(HasSubstr("json.exception"))));
}

TEST(Records, PayloadThatIsCutShortNamesTheRecord) {
  const SampleSweep sample = sample_sweep();
  const Record whole = to_record(ResultRecord{finished_block(sample.plan, {0}), {}});
  for (std::size_t bytes = 0; bytes < whole.payload.size(); ++bytes) {
    Record cut = whole;
    cut.payload.resize(bytes);
    EXPECT_THAT(message_of<InputError>([&] { parse_result(cut); }), HasSubstr("a result record")) << bytes;
  }
}

TEST(Records, WhatALaterVersionAppendsIsPassedOver) {
  const SampleSweep sample = sample_sweep();
  Record record = to_record(ResultRecord{finished_block(sample.plan, {0}), {}});
  const std::size_t arms = parse_result(record).block.arms.size();
  record.payload += "more";
  EXPECT_EQ(parse_result(record).block.arms.size(), arms);
}

TEST(Records, FactOfALaterVersionIsPassedOver) {
  ResultRecord result;
  result.block.arms.resize(1);
  result.block.arms[0].facts = {{static_cast<sweep::Fact>(3), "apart"}, {static_cast<sweep::Fact>(4), "avx2"}};
  Record record = to_record(result);
  record.payload[record.payload.find("apart") - 6] = static_cast<char>(200);  // its number
  const sweep::Facts facts = parse_result(record).block.arms[0].facts;
  EXPECT_EQ(facts, (sweep::Facts{{sweep::Fact::kernels, "avx2"}}));
}

TEST(Records, StructuresAmongFactsAndALegComeBack) {
  ResultRecord result;
  result.block.arms.resize(2);
  sweep::ArmOutcome& arm = result.block.arms[0];
  arm.facts = {{sweep::Fact::process_peaks, sweep::ProcessPeaks{12582912, 12587008}},
               {sweep::Fact::why_stopped, sweep::WhyStopped::interrupted},
               {sweep::Fact::results, sweep::ProgramResults{{"residual", {"K", {1e-6, std::nullopt, -INFINITY}}}}},
               {sweep::Fact::exchange_buckets, std::vector<sweep::BucketTimes>{{4096, 0, 1.5, 2.5}}},
               {sweep::Fact::exchange_ranks, std::vector<sweep::RankTimes>{{9.5, 0.5, 1}}}};
  arm.learned = learned(0.75);
  const auto read = parse_result(to_record(result)).block.arms;
  EXPECT_EQ(read.at(0).facts, arm.facts);
  EXPECT_EQ(read.at(0).learned, arm.learned);
  EXPECT_EQ(read.at(1).learned, std::nullopt);
  EXPECT_FALSE(read_result_head(to_record(result)).has_failed_arm);
}

TEST(Records, StructuresThatCannotBeAreRefusedWithTheirRecord) {
  ResultRecord result;
  result.block.arms.resize(1);
  const auto refusal = [&](const std::string& was, const std::string& is) {
    Record record = to_record(result);
    record.payload.replace(record.payload.find(was), was.size(), is);
    return message_of<InputError>([&] { parse_result(record); });
  };
  sweep::set(result.block.arms[0].facts, sweep::Fact::why_stopped, sweep::WhyStopped::decided);
  EXPECT_THAT(refusal("decided", "derided"), testing::AllOf(HasSubstr("a result record"), HasSubstr("derided")));
  sweep::set(result.block.arms[0].facts, sweep::Fact::process_peaks, sweep::ProcessPeaks{1234});
  EXPECT_THAT(refusal("1234", "12x4"), HasSubstr("expected sizes of memory in bytes"));
  sweep::set(result.block.arms[0].facts, sweep::Fact::results, sweep::ProgramResults{{"a", {"", {1}}}});
  EXPECT_THAT(refusal("[1.0]", "[nan]"), HasSubstr("results of a program"));
  result.block.arms[0].learned = sweep::Learned();
  EXPECT_THAT(refusal("reached", "breach."), HasSubstr("the results of a leg"));
}

TEST(Records, FiguresOfTheDeviceComeBack) {
  ResultRecord result;
  result.block.device = {{1980, 0.5}, {1500, std::nan("")}};
  const sweep::DeviceReadings read = parse_result(to_record(result)).block.device;
  EXPECT_EQ(read.before, result.block.device.before);
  ASSERT_EQ(read.after.size(), 2U);
  EXPECT_EQ(read.after[0], 1500);
  EXPECT_TRUE(std::isnan(read.after[1]));
}

TEST(Records, BitsOfAResultComeBack) {
  ResultRecord result;
  result.block.interrupted = true;
  result.block.measured_again = true;
  const BlockRecord read = parse_result(to_record(result)).block;
  EXPECT_TRUE(read.interrupted && read.measured_again && !read.continues);
}

TEST(Records, TheNumberOfAVisitComesBackAndTakesNoPlaceOfTheFirst) {
  ResultRecord result;
  result.samples = {640, 20, 7};
  const std::size_t bytes = to_record(result).payload.size();
  result.block.visit = 3;
  const Record record = to_record(result);
  EXPECT_EQ(record.payload.size(), bytes + 4);
  EXPECT_EQ(parse_result(record).block.visit, 3U);
  EXPECT_EQ(parse_result(record).samples.count, 20U);
  EXPECT_FALSE(read_result_head(record).interrupted);
}

ResultRecord varied_result() {
  const SampleSweep sample = sample_sweep();
  ResultRecord result{finished_block(sample.plan, {1}, 2), {640, 20, 7}};
  result.block.start_wall_seconds = 3.5;
  result.block.own_seconds = 1.5;
  result.block.end_wall_seconds = 8.25;
  result.block.flags = {stats::Flag::neighbours};
  result.block.arms[0].outcome = sweep::Skipped{"no such environment"};
  sweep::set(result.block.arms[1].facts, sweep::Fact::kernels, std::string("avx2"));
  sweep::set(result.block.arms[1].facts, sweep::Fact::process_peaks, sweep::ProcessPeaks{1234});
  result.block.arms[2].learned = sweep::Learned();
  return result;
}

TEST(Records, HeadOfAResultIsWhatTheWholeSays) {
  ResultRecord result = varied_result();
  ResultHead head = read_result_head(to_record(result));
  EXPECT_EQ(head.start_wall_seconds, 3.5);
  EXPECT_EQ(head.own_seconds, 1.5);
  EXPECT_EQ(head.end_wall_seconds, 8.25);
  EXPECT_FALSE(head.interrupted || head.has_failed_arm);
  result.block.interrupted = true;
  result.block.arms[2].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  head = read_result_head(to_record(result));
  EXPECT_TRUE(head.interrupted && head.has_failed_arm);
  result.block.arms[2].outcome = sweep::Skipped{"one core", sweep::SkipKind::not_answerable};
  EXPECT_TRUE(read_result_head(to_record(result)).has_failed_arm);
}

/// The text of the InputError that `read` throws, or "".
template <class Read>
std::string refusal(const Record& record, const Read& read) {
  try {
    static_cast<void>(read(record));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Records, HeadOfAResultIsRefusedWhereTheWholeIs) {
  const Record whole = to_record(varied_result());
  std::size_t refused = 0;
  const auto compare = [&](const Record& record) {
    const std::string what = refusal(record, parse_result);
    EXPECT_EQ(refusal(record, read_result_head), what);
    refused += what.empty() ? 0 : 1;
  };
  for (std::size_t at = 0; at < whole.payload.size(); ++at) {
    Record record = whole;
    record.payload.resize(at);
    compare(record);
    record.payload = whole.payload;
    record.payload[at] = static_cast<char>(record.payload[at] ^ 0x55);
    compare(record);
  }
  EXPECT_GT(refused, whole.payload.size());
  Record record = whole;
  record.attempt = 1U << 31;
  compare(record);
}

TEST(Records, GrantComesBackAsItWas) {
  const GrantedRecord read = parse_granted(to_record(GrantedRecord{hash128("block"), 3, 7}));
  EXPECT_EQ(read.block, hash128("block"));
  EXPECT_EQ(read.attempt, 3U);
  EXPECT_EQ(read.agent, 7U);
}

TEST(Records, AttemptThatNoTableHoldsIsRefused) {
  Record record = to_record(FailedAttemptRecord{hash128("block"), hash128("trial"), 7, {}, "died"});
  EXPECT_EQ(parse_failed_attempt(record).attempt, 7U);
  record.attempt = 1U << 31;
  EXPECT_THAT(message_of<InputError>([&] { parse_failed_attempt(record); }),
              testing::HasSubstr("its attempt is 2147483648"));
}

}  // namespace
}  // namespace regatta::results
