#include "results/sample_sweep.hpp"

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::results {

std::string sample_sweep_text(const std::string& batches) {
  return R"({
  "regatta": 1,
  "name": "small",
  "axes": {
    "engine": ["native", "numpy"],
    "mode": ["eager", "graph", "xla"],
    "model": ["mlp-10"],
    "batch": [)" +
         batches + R"(]
  },
  "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "eager"}},
  "measure": {"again": false}
})";
}

SampleSweep sample_sweep(const std::string& batches) {
  SampleSweep sample;
  sample.sweep = sweep::parse_sweep(sample_sweep_text(batches), "/somewhere/small.json");
  sample.plan = sweep::make_plan(sample.sweep);
  return sample;
}

SampleSweep explained_sweep() {
  SampleSweep sample;
  const std::string text = R"({"regatta": 1, "name": "explained", "axes": {"engine": ["native", "numpy"],
    "model": "mlp-10", "batch": 32}, "compare": {"over": "engine", "baseline": {"engine": "native"}},
    "measure": {"explain": true, "again": false}})";
  sample.sweep = sweep::parse_sweep(text, "/somewhere/explained.json");
  sample.plan = sweep::make_plan(sample.sweep);
  return sample;
}

Provenance sample_provenance(const std::string& sweep_text) {
  Provenance provenance;
  provenance.sweep_json = sweep_text;
  provenance.sweep_file = "small.json";
  provenance.command_line = "regatta run small.json --ranks 2";
  provenance.regatta_version = "0.1.0";
  provenance.git_commit = "";
  provenance.created = "2026-01-02T03:04:05Z";
  provenance.versions = {{"hdf5", "1.10.8"}, {"mpi", "4.1.4"}};
  return provenance;
}

AgentRecord sample_agent(std::uint32_t agent) {
  AgentRecord record;
  record.agent = agent;
  record.host = {"node1", "A CPU \xc3\xbc", 1, 2, std::int64_t{8} << 30, "6.1", ""};
  record.slot = {0, "cpu", "cores " + std::to_string(agent), {}, {}, {static_cast<int>(agent)}};
  if (agent == 0) record.slot.flags.add(stats::Flag::neighbours);
  return record;
}

AgentRecord calibrated_agent() {
  AgentRecord record = sample_agent();
  record.slot.calibration = {2, "avx512", 2.5e11, 5e11, 2e10, 1e10, 1.7e9, {}};
  DeviceRates& device = record.slot.calibration.device;
  device.uuid = "GPU-1";
  device.tf32_flops_per_second = 4e14;
  device.launch_seconds = 2e-6;
  return record;
}

BlockRecord finished_block(const sweep::Plan& plan, BlockIndex block, std::uint32_t attempt) {
  BlockRecord record;
  record.block = plan.blocks.at(block.value).hash;
  record.attempt = attempt;
  record.start_wall_seconds = 1.7e9 + 10 * block.value;
  record.end_wall_seconds = record.start_wall_seconds + 5.25;
  record.own_seconds = 5.25;
  record.flags = {stats::Flag::neighbours};
  const sweep::Block& of = plan.blocks.at(block.value);
  for (std::size_t at = 0; at < of.distinct_arms(); ++at) {
    const sweep::Trial& planned = plan.trials.at(of.arms[at].value);
    const std::string engine = sweep::text_of(planned.parameters, sweep::Param::engine);
    sweep::ArmOutcome arm;
    arm.trial = planned.hash;
    arm.outcome = sweep::Finished{};
    arm.environment = arm.engine = engine;
    using sweep::Fact;
    sweep::set(arm.facts, Fact::engine_version, engine == "numpy" ? "1.24" : "0.1.0");
    sweep::set(arm.facts, Fact::prepare_seconds, 0.25);
    sweep::set(arm.facts, Fact::peak_bytes, std::int64_t{50'000'000});
    arm.verified = engine == "numpy" ? sweep::Verified::no : sweep::Verified::yes;
    sweep::set(arm.facts, Fact::verified_detail, engine == "numpy" ? "0.kernel differs by 0.1" : "");
    sweep::set(arm.facts, Fact::kernels, engine == "native" ? "avx2; matmul 1 2 3: rows_at_once 4" : "");
    if (of.is_intervention()) arm.intervention = sweep::text_of(of.interventions[at]);
    record.arms.push_back(arm);
  }
  return record;
}

std::vector<stats::Sample> block_samples(const sweep::Plan& plan, BlockIndex block, std::uint32_t steady) {
  std::vector<stats::Sample> samples;
  double now = 100;
  for (std::uint16_t arm = 0; arm < plan.blocks.at(block.value).distinct_arms(); ++arm) {
    samples.push_back({0, arm, stats::Phase::first, 0, 1, 0, 0, now, 1.0});
    for (std::uint32_t i = 0; i < steady; ++i) {
      const double seconds = 0.001 * (arm + 1) + 0.002 * i;
      samples.push_back({i + 1, arm, stats::Phase::steady, 0, 4, 0, 0, now += 1, 4 * seconds});
    }
  }
  return samples;
}

void write_whole_store(const std::filesystem::path& folder, const SampleSweep& sample) {
  StoreWriter writer(folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
  writer.agent(sample_agent());
  for (const sweep::Block& block : sample.plan.blocks) {
    writer.result(finished_block(sample.plan, block.index), block_samples(sample.plan, block.index));
  }
  writer.end_session();
}

}  // namespace regatta::results
