#include "results/file/varied_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "results/file/file.hpp"
#include "results/files_and_messages.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

void expect_same(const TrialRow& a, const TrialRow& b) {
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_STREQ(sweep::status_of(a.outcome), sweep::status_of(b.outcome));
  EXPECT_EQ(sweep::reason_of(a.outcome), sweep::reason_of(b.outcome));
  EXPECT_EQ(std::tie(a.attempt, a.env, a.host, a.device, a.source),
            std::tie(b.attempt, b.env, b.host, b.device, b.source));
  EXPECT_EQ(std::tie(a.verified, a.facts), std::tie(b.verified, b.facts));
  EXPECT_EQ(a.start_wall_seconds, b.start_wall_seconds);
  EXPECT_EQ(a.end_wall_seconds, b.end_wall_seconds);
  EXPECT_EQ(a.metrics, b.metrics);
}

void expect_same(const SampleRow& a, const SampleRow& b) {
  EXPECT_EQ(a.trial, b.trial);
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(std::memcmp(&a.sample, &b.sample, sizeof a.sample), 0);
}

void expect_same(const BlockRow& a, const BlockRow& b) {
  EXPECT_EQ(std::tie(a.hash, a.arms, a.has_baseline, a.measured_again, a.attempt),
            std::tie(b.hash, b.arms, b.has_baseline, b.measured_again, b.attempt));
  EXPECT_EQ(
      std::tie(a.start_wall_seconds, a.end_wall_seconds, a.own_seconds, a.flags, a.device.before, a.device.after),
      std::tie(b.start_wall_seconds, b.end_wall_seconds, b.own_seconds, b.flags, b.device.before, b.device.after));
}

void expect_same(const ContrastRow& a, const ContrastRow& b) {
  EXPECT_EQ(std::tie(a.block, a.a, a.b, a.ratio, a.high, a.margin, a.resolution, a.e_value),
            std::tie(b.block, b.a, b.b, b.ratio, b.high, b.margin, b.resolution, b.e_value));
  EXPECT_EQ(std::isnan(a.low), std::isnan(b.low));
  EXPECT_EQ(std::tie(a.squares, a.processes, a.verdict, a.confirmed, a.why_stopped, a.flags, a.text, a.metric, a.unit),
            std::tie(b.squares, b.processes, b.verdict, b.confirmed, b.why_stopped, b.flags, b.text, b.metric, b.unit));
}

void expect_same(const AttemptRow& a, const AttemptRow& b) {
  EXPECT_EQ(std::tie(a.block, a.trial, a.attempt, a.kind, a.message),
            std::tie(b.block, b.trial, b.attempt, b.kind, b.message));
}

void expect_same(const Host& a, const Host& b) {
  EXPECT_EQ(std::tie(a.name, a.cpu_model, a.sockets, a.cores, a.memory_bytes, a.kernel, a.governor),
            std::tie(b.name, b.cpu_model, b.sockets, b.cores, b.memory_bytes, b.kernel, b.governor));
}

void expect_same(const SlotRow& a, const SlotRow& b) {
  EXPECT_EQ(std::tie(a.host, a.kind, a.name, a.cores, a.flags), std::tie(b.host, b.kind, b.name, b.cores, b.flags));
  const Calibration& c = a.calibration;
  const Calibration& d = b.calibration;
  EXPECT_EQ(std::tie(c.threads, c.isa, c.measured_wall_seconds), std::tie(d.threads, d.isa, d.measured_wall_seconds));
  if (c.threads == 0) return;
  EXPECT_EQ(std::tie(c.core_peak_flops_per_second, c.peak_flops_per_second, c.memory_bytes_per_second,
                     c.copy_bytes_per_second),
            std::tie(d.core_peak_flops_per_second, d.peak_flops_per_second, d.memory_bytes_per_second,
                     d.copy_bytes_per_second));
  ASSERT_EQ(c.device.uuid, d.device.uuid);
  if (c.device.uuid.empty()) return;
  for (const DeviceRate& rate : device_rates) {
    const double was = c.device.*rate.value;
    const double is = d.device.*rate.value;
    EXPECT_TRUE(was == is || (std::isnan(was) && std::isnan(is))) << rate.key;
  }
}

void expect_same(const Env& a, const Env& b) {
  EXPECT_EQ(std::tie(a.name, a.engine, a.version), std::tie(b.name, b.engine, b.version));
}

void expect_same(const Source& a, const Source& b) {
  EXPECT_EQ(std::tie(a.file, a.created, a.command_line, a.regatta_version, a.git_commit),
            std::tie(b.file, b.created, b.command_line, b.regatta_version, b.git_commit));
}

void expect_same(const InterventionRow& a, const InterventionRow& b) {
  EXPECT_EQ(std::tie(a.block, a.trial, a.intervention, a.attempt, a.verified, a.verified_detail),
            std::tie(b.block, b.trial, b.intervention, b.attempt, b.verified, b.verified_detail));
  EXPECT_EQ(sweep::status_of(a.outcome), std::string(sweep::status_of(b.outcome)));
  EXPECT_EQ(sweep::reason_of(a.outcome), sweep::reason_of(b.outcome));
  const auto figures = [](const InterventionRow& row) {
    return std::vector{row.step_seconds,    row.ratio,         row.low,       row.high,
                       row.removed_seconds, row.calls_seconds, row.calls_low, row.calls_high,
                       row.seconds_per_row, row.misfit};
  };
  EXPECT_THAT(figures(a), testing::Pointwise(testing::NanSensitiveDoubleEq(), figures(b)));
  EXPECT_EQ(std::tie(a.squares, a.processes, a.verdict, a.flags, a.start_wall_seconds, a.end_wall_seconds),
            std::tie(b.squares, b.processes, b.verdict, b.flags, b.start_wall_seconds, b.end_wall_seconds));
}

void expect_same(const InterventionSampleRow& a, const InterventionSampleRow& b) {
  EXPECT_EQ(a.row, b.row);
  EXPECT_EQ(std::memcmp(&a.sample, &b.sample, sizeof a.sample), 0);
}

/// A cell, one change with every figure, one that failed and one that was skipped.
void add_interventions(Results& results) {
  using sweep::InterventionKind;
  InterventionRow row;
  row.block = hash128("explains");
  row.trial = {1};
  row.outcome = sweep::Finished{};
  row.attempt = 2;
  row.start_wall_seconds = 1.7e9;
  row.end_wall_seconds = 1.7e9 + 3;
  row.step_seconds = 1e-5;
  row.calls_seconds = 4e-6;
  row.calls_low = 3e-6;
  row.calls_high = 5e-6;
  row.seconds_per_row = 2e-7;
  row.misfit = 0.03;
  InterventionRow emptied = row;
  emptied.intervention.kind = InterventionKind::kernels_emptied;
  emptied.calls_seconds = emptied.calls_low = emptied.calls_high = emptied.seconds_per_row = emptied.misfit =
      InterventionRow::unknown;
  emptied.ratio = 0.4;
  emptied.low = 0.38;
  emptied.high = 0.42;
  emptied.removed_seconds = 6e-6;
  emptied.squares = 9;
  emptied.processes = 18;
  emptied.verdict = "faster";
  emptied.flags = "spikes";
  InterventionRow resident;
  resident.block = row.block;
  resident.trial = row.trial;
  resident.intervention.kind = InterventionKind::input_resident;
  resident.outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  InterventionRow batch = resident;
  batch.intervention = {InterventionKind::batch, 4};
  batch.outcome = sweep::Skipped{"no such batch"};
  results.interventions = {row, resident, emptied, batch};
  results.intervention_samples = {
      {0, {.slice = 1, .steps = 8, .square = 1, .start_seconds = 2, .seconds = 3}},
      {2, {.slice = 2, .arm = 2, .flags = 4, .steps = 9, .start_seconds = 5, .seconds = 1}}};
}

void expect_same(const SessionRow& a, const SessionRow& b) {
  EXPECT_EQ(std::tie(a.created, a.ended, a.source, a.batch_job), std::tie(b.created, b.ended, b.source, b.batch_job));
  for (const OrchestrationField& field : orchestration_fields) {
    const double said = a.self.*field.value;
    EXPECT_TRUE(said == b.self.*field.value || (std::isnan(said) && std::isnan(b.self.*field.value))) << field.name;
  }
}

template <class Row>
void expect_same(const std::vector<Row>& a, const std::vector<Row>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

}  // namespace

Results varied_results() {
  const support::TemporaryFolder folder;
  SampleSweep sample = sample_sweep("8, 32, 64");
  {
    StoreWriter writer(folder / "small.regatta", sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    writer.agent(sample_agent(0));
    writer.agent(calibrated_agent());
    writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
    BlockRecord failing = finished_block(sample.plan, {1}, 3);
    failing.arms[2].outcome = sweep::Failed{sweep::FailureKind::timed_out, "no answer in 300 s"};
    failing.measured_again = true;
    failing.device = {{1980, 2619, 0, 41, 70.5, 1e9, 0, 0, 0}, {1500, 2619, 0x24, 88, 690, 3e9, 5200.25, 0.25, 1.5}};
    writer.result(failing, block_samples(sample.plan, {1}));
    Orchestration self;
    for (double value = 1; const OrchestrationField& field : orchestration_fields) self.*field.value = value++ / 3;
    self.tail_share = Orchestration::unknown;
    writer.orchestration(self);
    writer.failed_attempt(sample.plan.blocks[1].hash, failing.arms[0].trial, 1, sweep::FailureKind::crashed,
                          "signal 11");
    writer.end_session();
  }
  Results results = collect(folder / "small.regatta");
  sweep::Facts& facts = results.trials.front().facts;
  sweep::set(facts, sweep::Fact::process_peaks, sweep::ProcessPeaks{12582912, 12587008});
  sweep::set(facts, sweep::Fact::why_stopped, sweep::WhyStopped::decided);
  sweep::set(facts, sweep::Fact::results, sweep::ProgramResults{{"residual", {"K", {1e-6, std::nullopt, 2}}}});
  sweep::set(facts, sweep::Fact::exchange_buckets, std::vector<sweep::BucketTimes>{{4096, 0, 1.5, 2.5}});
  sweep::set(facts, sweep::Fact::exchange_ranks, std::vector<sweep::RankTimes>{{9.5, 0.5, 1}});
  results.contrasts = {{{0},
                        {1},
                        {0},
                        1.5,
                        std::numeric_limits<double>::quiet_NaN(),
                        2.5,
                        0.01,
                        0.02,
                        40,
                        9,
                        18,
                        "slower",
                        true,
                        "decided",
                        "spikes,disturbed",
                        "a takes 1.50x the time of b",
                        "time_per_step",
                        "s"}};
  stats::SpreadHistory history;
  history.add(0.004, 6, 1e-6);
  results.provenance.spreads.add("native eager cpu", "native graph cpu", history);
  add_interventions(results);
  return results;
}

void expect_same(const Results& a, const Results& b) {
  EXPECT_EQ(std::tie(a.name, a.complete, a.axis_names, a.other_blocks),
            std::tie(b.name, b.complete, b.axis_names, b.other_blocks));
  expect_same(a.trials, b.trials);
  expect_same(a.samples, b.samples);
  expect_same(a.blocks, b.blocks);
  expect_same(a.failed_attempts, b.failed_attempts);
  expect_same(a.contrasts, b.contrasts);
  expect_same(a.interventions, b.interventions);
  expect_same(a.intervention_samples, b.intervention_samples);
  expect_same(a.hosts, b.hosts);
  expect_same(a.devices, b.devices);
  expect_same(a.envs, b.envs);
  expect_same(a.sources, b.sources);
  expect_same(a.sessions, b.sessions);
  const Provenance& p = a.provenance;
  const Provenance& q = b.provenance;
  EXPECT_EQ(
      std::tie(p.sweep_json, p.sweep_file, p.command_line, p.regatta_version, p.git_commit, p.created, p.versions),
      std::tie(q.sweep_json, q.sweep_file, q.command_line, q.regatta_version, q.git_commit, q.created, q.versions));
  EXPECT_EQ(p.spreads, q.spreads);
}

void edit(const std::filesystem::path& file, const std::function<void(hid_t)>& change) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(id, 0);
  change(id);
  H5Fclose(id);
  const std::string bytes = slurp(file);
  spill(file, bytes + hdf5::seal_of(bytes));
}

}  // namespace regatta::results
