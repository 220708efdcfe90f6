#include "analysis/judging/pilot_findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/time_lines.hpp"
#include "regatta/stats/warm_up.hpp"

namespace regatta::analysis {
namespace {

constexpr std::size_t fewest_calls = 8;  // a pilot makes at least so many; a process that only warms up makes none

/// Unscored slices of an arm by number, apart for each of its processes. The first process of each session is a pilot.
using Processes = std::vector<std::map<std::uint32_t, std::vector<stats::Sample>>>;
using Calls = std::vector<stats::CallTime>;

/// Calls are slices of one sample; nothing if this process made no pilot.
Calls calls_of(const Processes::value_type& slices) {
  Calls calls;
  for (const auto& [number, samples] : slices) {
    if (samples.size() == 1 && samples.front().steps >= 2)
      calls.push_back({static_cast<double>(samples.front().steps), samples.front().seconds});
  }
  return calls.size() >= fewest_calls ? calls : Calls{};
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

/// Disturbed calls only fit a line worse, so of several pilots the one that fits best is believed.
bool are_no_line(const std::vector<Calls>& pilots, double tolerance) {
  std::optional<double> least;
  for (const Calls& calls : pilots) {
    const auto fit = stats::fit_call_lengths(fastest(calls));
    if (fit && !(least && *least <= fit->residual)) least = fit->residual;
  }
  return least && !(*least <= tolerance);
}

std::string findings_of(const Processes& processes, double delta) {
  const double tolerance = std::max(delta, stats::rules::pilot_noise);
  std::vector<Calls> pilots;
  for (const auto& process : processes) {
    if (Calls calls = calls_of(process); !calls.empty()) pilots.push_back(std::move(calls));
  }
  if (pilots.empty()) return "";
  std::string findings(are_no_line(pilots, tolerance) ? depends_on_call_length : "");
  std::vector<double> step_seconds;
  for (const auto& call : pilots.front()) step_seconds.push_back(std::max(call.seconds, 1e-12) / call.steps);
  const auto state = stats::classify_warm_up(step_seconds, tolerance).state;
  if (state != stats::SteadyState::slow_down && state != stats::SteadyState::none) return findings;
  return findings + (findings.empty() ? "" : ",") + std::string(stats::steady_state_name(state));
}

/// Samples come in the order of time.
void take(Processes& processes, const stats::Sample& sample) {
  if (sample.phase == stats::Phase::first || processes.empty()) processes.emplace_back();
  if (sample.phase == stats::Phase::warmup) processes.back()[sample.slice].push_back(sample);
}

}  // namespace

std::vector<BlockFindings> pilot_findings(const results::Results& results, const stats::JudgeOptions& options) {
  std::vector<std::vector<Processes>> pilots(results.blocks.size());
  for (std::size_t i = 0; i < pilots.size(); ++i) pilots[i].resize(results.blocks[i].arms.size());
  for (const auto& row : results.samples) {
    if (results.blocks[row.block.value].has_baseline) take(pilots[row.block.value].at(row.sample.arm), row.sample);
  }
  std::vector<BlockFindings> findings;
  for (const auto& block : pilots) {
    BlockFindings of_arms;
    for (const Processes& arm : block) of_arms.push_back(findings_of(arm, stats::indifference(options)));
    findings.push_back(std::move(of_arms));
  }
  return findings;
}

}  // namespace regatta::analysis
