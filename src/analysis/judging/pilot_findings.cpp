#include <algorithm>
#include <span>

#include "analysis/judging/judging.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/stats/warm_up.hpp"

namespace regatta::analysis {
namespace {

using stats::Phase;
using stats::Sample;

constexpr std::size_t fewest_slices = 6;  // slices that tell a state

/// Median step time of each unscored slice of the first process, where it made no calls of several lengths.
std::vector<double> of_slices(std::span<const Sample> samples) {
  std::vector<double> step_seconds;
  std::vector<double> of_slice;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    if (sample.phase == Phase::first && i > 0) break;
    if (sample.phase != Phase::warmup) continue;
    of_slice.push_back(std::max(sample.seconds, 1e-12) / sample.steps);
    if (i + 1 < samples.size() && samples[i + 1].slice == sample.slice) continue;
    step_seconds.push_back(stats::median(std::move(of_slice)));
    of_slice.clear();
  }
  return step_seconds;
}

std::vector<double> of_calls(const stats::PilotCalls& calls) {
  std::vector<double> step_seconds;
  for (const auto& call : calls) step_seconds.push_back(std::max(call.seconds, 1e-12) / call.steps);
  return step_seconds;
}

/// None for an arm that runs on at the speed at which it began to be scored.
stats::Flags state_of(const std::vector<double>& step_seconds, double delta) {
  if (step_seconds.size() < fewest_slices) return {};
  switch (stats::classify_warm_up(step_seconds, std::max(delta, stats::rules::pilot_noise)).state) {
    case stats::SteadyState::slow_down:
      return {stats::Flag::slow_down};
    case stats::SteadyState::none:
      return {stats::Flag::no_steady_state};
    case stats::SteadyState::flat:
    case stats::SteadyState::warm_up:
      break;
  }
  return {};
}

ArmFindings findings_of(std::span<const Sample> samples, double delta) {
  const auto pilots = stats::pilot_calls(samples);
  return {stats::call_lengths(pilots), state_of(pilots.empty() ? of_slices(samples) : of_calls(pilots.front()), delta)};
}

}  // namespace

std::vector<BlockFindings> pilot_findings(const results::Results& results, const stats::JudgeOptions& options) {
  std::vector<std::vector<std::vector<Sample>>> unscored(results.blocks.size());
  for (std::size_t i = 0; i < unscored.size(); ++i) unscored[i].resize(results.blocks[i].arms.size());
  for (const auto& row : results.samples) {
    const bool is_pilot = row.sample.phase == Phase::first || row.sample.phase == Phase::warmup;
    if (is_pilot && results.blocks[row.block.value].has_baseline)
      unscored[row.block.value].at(row.sample.arm).push_back(row.sample);
  }
  std::vector<BlockFindings> findings;
  for (const auto& block : unscored) {
    BlockFindings& of_arms = findings.emplace_back();
    for (const auto& samples : block) of_arms.push_back(findings_of(samples, stats::indifference(options)));
  }
  return findings;
}

double call_length_misfit(const ArmFindings& findings) { return findings.calls ? findings.calls->misfit : 0; }

}  // namespace regatta::analysis
