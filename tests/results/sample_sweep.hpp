// A small sweep with a comparison, skips and text and integer axes, and made-up results for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "regatta/results/store.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

/// native eager, graph and xla (which it lacks: skipped) and numpy (which reads no mode), two batch sizes: two
/// blocks of three arms.
std::string sample_sweep_text(const std::string& batches = "8, 32");

struct SampleSweep {
  sweep::Sweep sweep;
  sweep::Plan plan;
};
SampleSweep sample_sweep(const std::string& batches = "8, 32");

/// native and numpy at batch 32, both explained: one block of trials, then two that explain.
SampleSweep explained_sweep();

Provenance sample_provenance(const std::string& sweep_text);
AgentRecord sample_agent(std::uint32_t agent = 0);

/// The same, once its slot was calibrated.
AgentRecord calibrated_agent();

/// All arms finished.
BlockRecord finished_block(const sweep::Plan& plan, BlockIndex block, std::uint32_t attempt = 1);

/// For each arm one first sample of 1 s and steady samples of (arm + 1) ms, 2 ms more, ... a step.
std::vector<stats::Sample> block_samples(const sweep::Plan& plan, BlockIndex block, std::uint32_t steady = 3);

/// A folder in which every block was recorded.
void write_whole_store(const std::filesystem::path& folder, const SampleSweep& sample);

}  // namespace regatta::results
