#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "regatta/analysis/slice_series.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_with_speeds = 3;  // arms, each in a line
constexpr std::size_t most_blocks = 200;     // looked at
constexpr std::size_t most_tried_again = 3;  // trials, each in a line

struct FlagWords {
  stats::Flag flag;
  std::string_view words;
};
/// Flags that change how a figure is read and are said nowhere else.
constexpr FlagWords flag_words[] = {
    {stats::Flag::spikes,
     "rare slow steps (spikes), so that a typical step tells another ratio than all time together"},
    {stats::Flag::carry_over, "slices begin faster or slower than they end (carry-over)"},
    {stats::Flag::slow_down, "steps grew slower in the pilot (slow-down): figures are over the time measured"},
    {stats::Flag::no_steady_state,
     "its speed did not settle in the pilot (no steady state): figures are over the time measured"}};

void add_flags(std::vector<std::string>& remarks, const View& view) {
  for (const auto& [flag, words] : flag_words) {
    std::vector<TrialIndex> trials;
    for (const auto& contrast : view.contrasts.contrasts) {
      if (contrast.flags.has(flag)) trials.push_back(contrast.a);
    }
    if (trials.empty()) continue;
    remarks.push_back(fmt::format("{}, in {} of {} comparisons: {}", words, trials.size(),
                                  view.contrasts.contrasts.size(), names_of(view, trials, names_shown)));
  }
}

/// "numpy batch 32 has 2 speeds: 70 % of slices at 18.1 us, 30 % at 25.0 us".
std::string speeds_text(const View& view, const analysis::ArmSeries& arm) {
  std::vector<std::string> parts;
  for (const auto& mode : arm.modes)
    parts.push_back(fmt::format("{:.0f} % of slices at {}", 100 * mode.weight, duration_text(std::exp(mode.value))));
  return fmt::format("{} has {} speeds: {}", trial_label(view.results.trials[arm.trial.value].parameters, view.axes),
                     arm.modes.size(), fmt::join(parts, ", "));
}

void add_speeds(std::vector<std::string>& remarks, const View& view) {
  std::set<BlockIndex> blocks;
  for (const auto& contrast : view.contrasts.contrasts) {
    for (const BlockIndex block : analysis::blocks_of(contrast))
      if (blocks.size() < most_blocks) blocks.insert(block);
  }
  std::size_t found = 0;
  for (const auto& series : analysis::slice_series(view.results, {blocks.begin(), blocks.end()})) {
    for (const auto& arm : series.arms) {
      if (arm.is_clone || arm.modes.size() < 2 || ++found > most_with_speeds) continue;
      remarks.push_back(speeds_text(view, arm));
    }
  }
  if (found > most_with_speeds) remarks.push_back(fmt::format("{} more have several speeds", found - most_with_speeds));
}

/// Why arms take turns. Where taking turns did no better it would endorse what was not achieved.
void add_plain_loops(std::vector<std::string>& remarks, const View& view) {
  double most = 0;
  std::size_t apart = 0;
  std::size_t all = 0;
  for (const auto& clone : view.contrasts.clones) {
    if (!clone.plain || clone.verdict != stats::Verdict::same) continue;
    ++all;
    apart += clone.plain->tells_apart() ? 1 : 0;
    most = std::max(most, std::abs(std::log(clone.plain->ratio)));
  }
  if (all == 0) return;
  remarks.push_back(
      fmt::format("two plain loops, one after the other, would have called {1} of {2} identical pairs different: they "
                  "were up to {0:.2g} % apart",
                  100 * std::expm1(most), apart, all));
}

/// "numpy batch 32 finished after attempt 1 had failed (crashed: killed by signal 9 (Killed))". A trial that failed in
/// the end has an entry of its own.
void add_attempts(std::vector<std::string>& remarks, const View& view) {
  std::map<TrialIndex, const results::AttemptRow*> last;
  for (const auto& attempt : view.results.failed_attempts) {
    const results::TrialRow& trial = view.results.trials[attempt.trial.value];
    if (std::holds_alternative<sweep::Finished>(trial.outcome)) last[attempt.trial] = &attempt;
  }
  std::size_t told = 0;
  for (const auto& [trial, attempt] : last) {
    if (++told > most_tried_again) break;
    remarks.push_back(fmt::format("{} finished after attempt {} had failed ({}: {})",
                                  trial_label(view.results.trials[trial.value].parameters, view.axes), attempt->attempt,
                                  sweep::to_string(attempt->kind),
                                  attempt->message.substr(0, attempt->message.find('\n'))));
  }
  if (last.size() > most_tried_again)
    remarks.push_back(
        fmt::format("{} more finished after an attempt had failed: /attempts has all", last.size() - most_tried_again));
}

}  // namespace

std::vector<std::string> remarks_of(const View& view) {
  std::vector<std::string> remarks = result_remarks(view);
  add_attempts(remarks, view);
  if (view.contrasts.contrasts.empty()) return remarks;
  add_flags(remarks, view);
  add_speeds(remarks, view);
  add_plain_loops(remarks, view);
  return remarks;
}

}  // namespace regatta::report
