#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "regatta/base/error.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/files_and_messages.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

class Collect : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep();

  StoreWriter open() { return {folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text)}; }
  TrialIndex arm(std::uint32_t block, std::uint32_t at) const { return sample.plan.blocks.at(block).arms.at(at); }
};

TEST_F(Collect, EveryPlannedTrialIsOneRowInPlanOrder) {
  write_whole_store(folder, sample);
  const Results results = collect(folder);
  ASSERT_EQ(results.trials.size(), sample.plan.trials.size());
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    EXPECT_EQ(results.trials[i].hash, sample.plan.trials[i].hash);
    EXPECT_EQ(results.trials[i].parameters, sample.plan.trials[i].parameters);
    const char* expected = sample.plan.trials[i].skip_reason ? "skipped" : "finished";
    EXPECT_STREQ(sweep::status_of(results.trials[i].outcome), expected);
  }
  EXPECT_EQ(std::ranges::count_if(sample.plan.trials, [](const auto& t) { return t.skip_reason.has_value(); }), 2);
  EXPECT_TRUE(results.complete);
  EXPECT_EQ(results.axis_names, (std::vector<std::string>{"engine", "mode", "model", "batch"}));
}

TEST_F(Collect, NeedsNoEnvironmentOfTheMachineThatMeasured) {
  SampleSweep elsewhere;
  const std::string text = R"({"regatta": 1, "name": "small", "axes": {"model": "mlp-10", "engine": "numpy@theirs"}})";
  elsewhere.sweep = sweep::parse_sweep(text, "/somewhere/small.json", sweep::any_environment());
  elsewhere.plan = sweep::make_plan(elsewhere.sweep);
  write_whole_store(folder, elsewhere);
  EXPECT_EQ(collect(folder).trials.at(0).parameters[sweep::Param::engine], sweep::Value{std::string("numpy@theirs")});
}

TEST_F(Collect, JournalThatIsForgedIsRefused) {
  const auto refused = [&](const SampleSweep& forged, const std::string& name) {
    write_whole_store(base / name, forged);
    return message_of<InputError>([&] { collect(base / name); });
  };
  SampleSweep forged = sample;
  forged.sweep.axes[0].levels[0] = std::string("zz");
  EXPECT_THAT(refused(forged, "engine"),
              testing::AllOf(HasSubstr("a plan record in the journal (record 3, at byte "),
                             HasSubstr(R"(an axis engine that its sweep cannot have: found "zz")")));
  forged.sweep.axes.erase(forged.sweep.axes.begin());
  EXPECT_THAT(refused(forged, "missing"), HasSubstr("an axis engine that its sweep cannot have: it is missing"));
  forged = sample;
  forged.sweep.name = "other";
  EXPECT_THAT(refused(forged, "name"), HasSubstr("record 2 of the journal names the sweep 'other'"));
}

TEST_F(Collect, ArmsInAnotherOrderAreRefused) {
  {
    StoreWriter writer = open();
    BlockRecord record = finished_block(sample.plan, {0});
    std::swap(record.arms[0].trial, record.arms[1].trial);
    writer.result(record, block_samples(sample.plan, {0}));
    writer.end_session();
  }
  EXPECT_THAT(message_of<InputError>([&] { collect(folder); }), HasSubstr("are recorded in another order"));
}

TEST_F(Collect, RowHoldsItsMeasurementAndWhereItWasTaken) {
  write_whole_store(folder, sample);
  const Results results = collect(folder);
  const TrialRow& row = results.trials[arm(1, 1).value];
  EXPECT_DOUBLE_EQ(row.metrics.at("step_time"), 0.004);
  EXPECT_DOUBLE_EQ(row.metrics.at("step_time_mean"), 0.004);
  EXPECT_DOUBLE_EQ(row.metrics.at("samples_per_second"), 32 / 0.004);
  EXPECT_DOUBLE_EQ(row.metrics.at("first_step"), 1);
  EXPECT_DOUBLE_EQ(row.metrics.at("prepare_time"), 0.25);
  EXPECT_DOUBLE_EQ(row.metrics.at("peak_memory"), 5e7);
  EXPECT_EQ(sweep::text_of(row.facts, sweep::Fact::kernels), "avx2; matmul 1 2 3: rows_at_once 4");
  EXPECT_EQ(row.metrics.at("n"), 3);
  EXPECT_EQ(row.attempt, 1);
  EXPECT_EQ(results.hosts.at(static_cast<std::size_t>(row.host)).name, "node1");
  EXPECT_EQ(results.devices.at(static_cast<std::size_t>(row.device)).name, "cores 0");
  EXPECT_EQ(row.start_wall_seconds, 1.7e9 + 10);
  EXPECT_EQ(results.blocks[1].flags, stats::Flags{stats::Flag::neighbours});
  EXPECT_EQ(results.provenance.command_line, "regatta run small.json --ranks 2");
  EXPECT_EQ(results.provenance.sweep_json, sample.sweep.text);
}

TEST_F(Collect, SamplesStandByTrialThenBlockThenTime) {
  write_whole_store(folder, sample);
  const Results results = collect(folder);
  ASSERT_EQ(results.samples.size(), 2 * 3 * 4U);
  for (std::size_t i = 1; i < results.samples.size(); ++i) {
    const SampleRow& a = results.samples[i - 1];
    const SampleRow& b = results.samples[i];
    EXPECT_LE(std::tuple(a.trial, a.block, a.sample.start_seconds),
              std::tuple(b.trial, b.block, b.sample.start_seconds));
    EXPECT_EQ(sample.plan.blocks[b.block.value].arms[b.sample.arm], b.trial);
  }
}

TEST_F(Collect, ACloneIsAnArmOfItsBlockButNotItsTrialsMeasurement) {
  BlockRecord record = finished_block(sample.plan, {0}, 1);
  auto samples = block_samples(sample.plan, {0}, 3);
  record.arms.push_back(record.arms.front());
  sweep::set(record.arms.back().facts, sweep::Fact::peak_bytes, std::int64_t{999});
  samples.push_back({.slice = 9, .arm = 3, .phase = stats::Phase::steady, .steps = 1, .seconds = 77});
  StoreWriter store = open();
  store.result(record, samples);
  store.end_session();
  const Results results = collect(folder);
  EXPECT_TRUE(results.blocks[0].has_clone);
  EXPECT_EQ(results.blocks[0].arms.size(), 4U);
  EXPECT_EQ(results.blocks[0].arms.back(), results.blocks[0].arms.front());
  EXPECT_EQ(results.samples.size(), 3 * 4 + 1U);
  const TrialRow& row = results.trials[arm(0, 0).value];
  EXPECT_EQ(row.metrics.at("n"), 3);
  EXPECT_EQ(row.metrics.at("peak_memory"), 5e7);
}

TEST_F(Collect, ALaterSessionAddsSquaresToABlock) {
  for (const bool continues : {false, true}) {
    StoreWriter store = open();
    store.agent(sample_agent(0));
    BlockRecord record = finished_block(sample.plan, {0}, 1);
    record.continues = continues;
    record.end_wall_seconds = continues ? 1.8e9 : 1.7e9;
    if (continues) record.arms[2].outcome = sweep::Failed{sweep::FailureKind::crashed, "this time"};
    store.result(record, block_samples(sample.plan, {0}, 3));
    store.end_session();
  }
  const Results results = collect(folder);
  EXPECT_EQ(results.blocks[0].end_wall_seconds, 1.8e9);
  EXPECT_EQ(results.trials[arm(0, 0).value].metrics.at("n"), 6);
  EXPECT_EQ(results.trials[arm(0, 2).value].metrics.at("n"), 3) << "an arm that failed later keeps what it had";
  EXPECT_STREQ(sweep::status_of(results.trials[arm(0, 2).value].outcome), "finished");
  std::set<std::uint32_t> slices;
  std::uint16_t squares = 0;
  for (const SampleRow& row : results.samples) {
    if (row.sample.arm != 0) continue;
    slices.insert(row.sample.slice);
    squares = std::max(squares, row.sample.square);
  }
  EXPECT_EQ(slices.size(), 2 * (1 + 3U)) << "first and three scored, of two sessions";
  EXPECT_EQ(squares, 1);
}

TEST_F(Collect, VisitsOfABlockAreOneMeasurementThatTheLastOneDescribes) {
  StoreWriter store = open();
  store.agent(sample_agent(0));
  for (std::uint32_t visit = 0; visit < 3; ++visit) {
    BlockRecord record = finished_block(sample.plan, {0}, 1);
    record.visit = visit;
    record.interrupted = visit < 2;
    record.flags = {visit == 1 ? stats::Flag::other_run : stats::Flag::neighbours};
    sweep::set(record.arms[1].facts, sweep::Fact::why_stopped,
               visit < 2 ? sweep::WhyStopped::none : sweep::WhyStopped::decided);
    store.result(record, block_samples(sample.plan, {0}, 3));
  }
  store.end_session();
  const Results results = collect(folder);
  EXPECT_EQ(results.trials[arm(0, 0).value].metrics.at("n"), 9);
  EXPECT_EQ(results.blocks[0].flags, (stats::Flags{stats::Flag::other_run, stats::Flag::neighbours}));
  EXPECT_EQ(sweep::text_of(results.trials[arm(0, 1).value].facts, sweep::Fact::why_stopped), "decided");
  std::set<std::uint32_t> slices;
  for (const SampleRow& row : results.samples)
    if (row.sample.arm == 0 && row.block.value == 0) slices.insert(row.sample.slice);
  EXPECT_EQ(slices.size(), 3 * (1 + 3U));
}

TEST_F(Collect, WhatIsMeasuredAgainReplacesTheFiguresItWasChosenFor) {
  for (const bool again : {false, true}) {
    StoreWriter store = open();
    store.agent(sample_agent(0));
    BlockRecord record = finished_block(sample.plan, {0}, 1);
    record.measured_again = again;
    store.result(record, block_samples(sample.plan, {0}, again ? 5 : 3));
    store.end_session();
  }
  const Results results = collect(folder);
  EXPECT_TRUE(results.blocks[0].measured_again);
  EXPECT_EQ(results.trials[arm(0, 0).value].metrics.at("n"), 5);
  EXPECT_FALSE(results.blocks[1].measured_again);
}

TEST_F(Collect, HostsDevicesAndEnvironmentsStandOnce) {
  {
    StoreWriter writer = open();
    writer.agent(sample_agent(0));
    writer.agent(sample_agent(1));
    BlockRecord second = finished_block(sample.plan, {1});
    second.agent = 1;
    writer.result(finished_block(sample.plan, {0}), {});
    writer.result(second, {});
    writer.end_session();
  }
  open().agent(sample_agent(0));
  const Results results = collect(folder);
  EXPECT_EQ(results.hosts.size(), 1U);
  EXPECT_EQ(results.devices.size(), 2U);
  EXPECT_EQ(results.envs.size(), 2U);
  EXPECT_EQ(results.devices.at(static_cast<std::size_t>(results.trials[arm(1, 0).value].device)).name, "cores 1");
}

TEST_F(Collect, ACalibrationBelongsToTheDeviceThatIsAlreadyThere) {
  {
    StoreWriter writer = open();
    writer.agent(sample_agent(0));
    writer.agent(sample_agent(1));
    writer.result(finished_block(sample.plan, {0}), {});
    writer.agent(calibrated_agent());
    writer.end_session();
  }
  open().agent(sample_agent(0));
  const Results results = collect(folder);
  ASSERT_EQ(results.devices.size(), 2U);
  EXPECT_EQ(results.devices[0].calibration.threads, 2);
  EXPECT_EQ(results.devices[0].calibration.isa, "avx512");
  EXPECT_EQ(results.devices[0].calibration.core_peak_flops_per_second, 2.5e11);
  EXPECT_EQ(results.devices[0].calibration.peak_flops_per_second, 5e11);
  EXPECT_EQ(results.devices[0].calibration.memory_bytes_per_second, 2e10);
  EXPECT_EQ(results.devices[0].calibration.copy_bytes_per_second, 1e10);
  EXPECT_EQ(results.devices[0].calibration.measured_wall_seconds, 1.7e9);
  EXPECT_EQ(results.devices[0].calibration.device.uuid, "GPU-1");
  EXPECT_EQ(results.devices[0].calibration.device.tf32_flops_per_second, 4e14);
  EXPECT_EQ(results.devices[1].calibration.threads, 0);
  EXPECT_TRUE(std::isnan(results.devices[1].calibration.core_peak_flops_per_second));
}

TEST_F(Collect, TrialsWithoutARecordAreLost) {
  {
    StoreWriter writer = open();
    writer.result(finished_block(sample.plan, {0}), {});
    writer.sync();
  }
  const Results results = collect(folder);
  EXPECT_STREQ(sweep::status_of(results.trials[arm(0, 0).value].outcome), "finished");
  EXPECT_STREQ(sweep::status_of(results.trials[arm(1, 0).value].outcome), "open");
  EXPECT_EQ(results.blocks[1].attempt, 0);
  EXPECT_FALSE(results.complete);
}

TEST_F(Collect, ResultSentTwiceCountsOnce) {
  {
    StoreWriter writer = open();
    BlockRecord again = finished_block(sample.plan, {0});
    again.start_wall_seconds = 1;
    writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
    writer.result(again, block_samples(sample.plan, {0}));
    writer.end_session();
  }
  const Results results = collect(folder);
  EXPECT_EQ(results.samples.size(), 3 * 4U);
  EXPECT_EQ(results.blocks[0].start_wall_seconds, 1.7e9);
}

TEST_F(Collect, LaterSessionReplacesABlock) {
  {
    StoreWriter writer = open();
    BlockRecord failed = finished_block(sample.plan, {0});
    failed.arms[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
    writer.result(failed, block_samples(sample.plan, {0}));
    writer.end_session();
  }
  EXPECT_STREQ(sweep::status_of(collect(folder).trials[arm(0, 0).value].outcome), "failed");
  {
    StoreWriter writer = open();
    writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}, 5));
    writer.end_session();
  }
  const Results results = collect(folder);
  EXPECT_STREQ(sweep::status_of(results.trials[arm(0, 0).value].outcome), "finished");
  EXPECT_EQ(results.samples.size(), 3 * 6U);
}

TEST_F(Collect, NewAxisValuesExtendAndOldBlocksAreFoundByTheirId) {
  write_whole_store(folder, sample);
  const SampleSweep wider = sample_sweep("8, 32, 64");
  {
    StoreWriter writer(folder, wider.sweep, wider.plan, sample_provenance(wider.sweep.text));
    writer.end_session();
  }
  const Results results = collect(folder);
  EXPECT_EQ(results.trials.size(), wider.plan.trials.size());
  EXPECT_EQ(std::ranges::count_if(results.blocks, [](const BlockRow& block) { return block.attempt > 0; }), 2);
  EXPECT_FALSE(results.complete);
  EXPECT_EQ(results.provenance.sweep_json, wider.sweep.text);
}

TEST_F(Collect, BlocksOfAnotherPlanAreCountedAndLeftOut) {
  const SampleSweep wider = sample_sweep("8, 32, 64");
  write_whole_store(folder, wider);
  open().end_session();
  const Results results = collect(folder);
  EXPECT_EQ(results.other_blocks, 1);
  EXPECT_EQ(results.blocks.size(), 2U);
  EXPECT_TRUE(results.complete);
}

TEST_F(Collect, AxesChangedOnTheCommandLineAreKept) {
  sweep::set_axis(sample.sweep, "batch=16");
  sample.plan = sweep::make_plan(sample.sweep);
  write_whole_store(folder, sample);
  const Results results = collect(folder);
  ASSERT_EQ(results.trials.size(), sample.plan.trials.size());
  EXPECT_EQ(results.trials[0].hash, sample.plan.trials[0].hash);
  EXPECT_TRUE(results.complete);
}

TEST_F(Collect, BaselineOfSeveralBlocksKeepsItsFirstFinishedMeasurement) {
  // Seven runnable arms against one baseline do not fit into one block.
  sample.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "small", "axes": {
    "engine": ["native"], "model": ["mlp-10"], "mode": ["eager", "graph"], "batch": [8, 16, 32, 64]},
    "compare": {"over": ["mode", "batch"], "baseline": {"mode": "eager", "batch": 8}}})",
                                    "/somewhere/small.json");
  sample.plan = sweep::make_plan(sample.sweep);
  ASSERT_EQ(sample.plan.blocks.size() - sweep::clones_of(sample.plan), 2U);
  const TrialIndex baseline = arm(0, 0);
  ASSERT_EQ(arm(1, 0), baseline);
  {
    StoreWriter writer = open();
    BlockRecord first = finished_block(sample.plan, {1});
    first.arms[0].outcome = sweep::Failed{sweep::FailureKind::timed_out, "300 s"};
    writer.result(first, block_samples(sample.plan, {1}));
    writer.result(finished_block(sample.plan, {0}, 2), block_samples(sample.plan, {0}, 7));
    writer.end_session();
  }
  const Results results = collect(folder);
  EXPECT_EQ(results.trials[baseline.value].attempt, 2);
  EXPECT_EQ(results.trials[baseline.value].metrics.at("n"), 7);
  const auto of = [&](std::uint32_t block) {
    return std::ranges::count_if(
        results.samples, [&](const SampleRow& row) { return row.trial == baseline && row.block.value == block; });
  };
  EXPECT_EQ(of(0), 8);
  EXPECT_EQ(of(1), 4);
}

TEST_F(Collect, FailedAttemptsAreRowsOfTheirOwn) {
  {
    StoreWriter writer = open();
    const Hash128 block = sample.plan.blocks[1].hash;
    const Hash128 trial = sample.plan.trials[arm(1, 2).value].hash;
    for (int sent = 0; sent < 2; ++sent) {
      writer.failed_attempt(block, trial, 1, sweep::FailureKind::out_of_memory, "9 GiB");
    }
    writer.end_session();
  }
  const Results results = collect(folder);
  ASSERT_EQ(results.failed_attempts.size(), 1U);
  EXPECT_EQ(results.failed_attempts[0].block, BlockIndex{1});
  EXPECT_EQ(results.failed_attempts[0].trial, arm(1, 2));
  EXPECT_EQ(results.failed_attempts[0].kind, sweep::FailureKind::out_of_memory);
}

TEST_F(Collect, RecordedArmsThatAreNotThePlannedOnesAreAnErrorWithTheirIds) {
  {
    StoreWriter writer = open();
    BlockRecord record = finished_block(sample.plan, {0});
    record.arms.pop_back();
    writer.result(record, {});
    writer.end_session();
  }
  const std::string missing = to_string(sample.plan.trials[arm(0, 2).value].hash);
  EXPECT_THAT(message_of<InputError>([&] { collect(folder); }), HasSubstr(missing));
}

TEST_F(Collect, PlanThatExpandsDifferentlyNowIsAnErrorWithItsIds) {
  sweep::Plan shorter = sample.plan;
  const Hash128 gone = shorter.trials.back().hash;
  shorter.trials.pop_back();
  { StoreWriter writer(folder, sample.sweep, shorter, sample_provenance(sample.sweep.text)); }
  EXPECT_THAT(message_of<InputError>([&] { collect(folder); }), HasSubstr(to_string(gone)));
}

TEST_F(Collect, SamplesOfAnArmThatTheBlockLacksAreDamage) {
  {
    StoreWriter writer = open();
    auto samples = block_samples(sample.plan, {0});
    samples.back().arm = 3;
    writer.result(finished_block(sample.plan, {0}), samples);
    writer.end_session();
  }
  EXPECT_THAT(message_of<InputError>([&] { collect(folder); }), HasSubstr("a sample of arm 3"));
}

TEST_F(Collect, DamagedSamplesAreNamed) {
  write_whole_store(folder, sample);
  std::string bytes = slurp(samples_file(folder));
  bytes[40] ^= 1;
  spill(samples_file(folder), bytes);
  EXPECT_THAT(message_of<InputError>([&] { collect(folder); }), HasSubstr("samples.bin' is damaged"));
}

TEST_F(Collect, FolderWithoutAPlanSaysSo) {
  EXPECT_THAT(message_of<InputError>([&] { collect(folder); }), HasSubstr("holds no plan"));
}

TEST_F(Collect, HalfWrittenLastRecordIsAsIfItHadNotHappened) {
  write_whole_store(folder, sample);
  const std::string whole = slurp(journal_file(folder));
  spill(journal_file(folder), whole.substr(0, whole.rfind(" result ") + 100));
  const Results results = collect(folder);
  EXPECT_EQ(results.blocks[0].attempt, 1);
  EXPECT_EQ(results.blocks[1].attempt, 0);
}

}  // namespace
}  // namespace regatta::results
