#include "analysis/pilot_findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "regatta/stats/call_lengths.hpp"
#include "regatta/stats/warm_up.hpp"

namespace regatta::analysis {
namespace {

constexpr double noise_of_a_pilot = 0.10;  // a few calls of 3 to 10 ms scatter by some per cent on a busy machine

/// Calls of a pilot: slices of one sample, in order, of the arm's first process only.
struct PilotCalls {
  std::map<std::uint32_t, std::vector<stats::Sample>> slices;  ///< unscored, by number
  std::uint32_t second_process = ~std::uint32_t{0};            ///< slice of its first step
  std::uint32_t first_steps = 0;
};

std::vector<stats::CallTime> calls_of(const PilotCalls& pilot) {
  std::vector<stats::CallTime> calls;
  for (const auto& [number, samples] : pilot.slices) {
    if (number >= pilot.second_process || samples.size() != 1 || samples.front().steps < 2) continue;
    calls.push_back({static_cast<double>(samples.front().steps), samples.front().seconds});
  }
  return calls;
}

/// The fastest call of each length: what disturbs a call only makes it longer.
std::vector<stats::CallTime> fastest(const std::vector<stats::CallTime>& calls) {
  std::map<double, double> by_length;
  for (const auto& call : calls) {
    const auto [known, is_new] = by_length.emplace(call.steps, call.seconds);
    if (!is_new) known->second = std::min(known->second, call.seconds);
  }
  std::vector<stats::CallTime> least;
  for (const auto& [steps, seconds] : by_length) least.push_back({steps, seconds});
  return least;
}

std::string findings_of(const PilotCalls& pilot, double delta) {
  const auto calls = calls_of(pilot);
  std::string findings;
  const auto fit = stats::fit_call_lengths(fastest(calls));
  if (fit && !(fit->residual <= std::max(delta, noise_of_a_pilot))) findings = depends_on_call_length;
  std::vector<double> step_seconds;
  for (const auto& call : calls) step_seconds.push_back(std::max(call.seconds, 1e-12) / call.steps);
  const auto state = step_seconds.empty()
                         ? stats::SteadyState::flat
                         : stats::classify_warm_up(step_seconds, std::max(delta, noise_of_a_pilot)).state;
  if (state != stats::SteadyState::slow_down && state != stats::SteadyState::none) return findings;
  return findings + (findings.empty() ? "" : ",") + std::string(stats::steady_state_name(state));
}

void take(PilotCalls& pilot, const stats::Sample& sample) {
  if (sample.phase == stats::Phase::warmup) pilot.slices[sample.slice].push_back(sample);
  if (sample.phase == stats::Phase::first && ++pilot.first_steps == 2) pilot.second_process = sample.slice;
}

}  // namespace

std::vector<BlockFindings> pilot_findings(const results::Results& results, const stats::JudgeOptions& options) {
  std::vector<std::vector<PilotCalls>> pilots(results.blocks.size());
  for (std::size_t i = 0; i < pilots.size(); ++i) pilots[i].resize(results.blocks[i].arms.size());
  for (const auto& row : results.samples) {
    if (results.blocks[row.block.value].has_baseline) take(pilots[row.block.value].at(row.sample.arm), row.sample);
  }
  std::vector<BlockFindings> findings;
  for (const auto& block : pilots) {
    BlockFindings of_arms;
    for (const PilotCalls& pilot : block) of_arms.push_back(findings_of(pilot, stats::indifference(options)));
    findings.push_back(std::move(of_arms));
  }
  return findings;
}

}  // namespace regatta::analysis
