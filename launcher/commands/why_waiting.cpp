#include "commands/why_waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "os/folder_lock.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

std::string plural(std::size_t count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// The needs of a block beyond one core of one slot; empty if that is all.
std::string needs(const sweep::Demand& demand) {
  std::string text;
  if (demand.ranks > 1) text += fmt::format("{} ranks at once", demand.ranks);
  if (demand.cores > 1) text += fmt::format("{}{} cores on a slot", text.empty() ? "" : ", ", demand.cores);
  if (demand.device != sweep::DeviceKind::cpu)
    text += fmt::format("{}a {} device", text.empty() ? "" : ", ", sweep::to_string(demand.device));
  return text.empty() ? text : "; it needs " + text;
}

std::string attempts_text(const results::OpenWork& work, const results::OpenBlock& block) {
  const results::AttemptRow& last = block.failed_attempts.back();
  return fmt::format("attempt {} ended badly ({}: {}); an arm has {}", last.attempt, sweep::to_string(last.kind),
                     clean(last.message), plural(static_cast<std::size_t>(work.attempts), "attempt"));
}

/// About how long until the blocks before this one are done; empty while nothing is known.
std::string about_when(const results::OpenWork& work, const results::OpenBlock& block) {
  if (work.block_seconds.empty() || work.slots.empty()) return {};
  const double mean = std::accumulate(work.block_seconds.begin(), work.block_seconds.end(), 0.0) /
                      static_cast<double>(work.block_seconds.size());
  const double rounds = static_cast<double>(block.ahead / work.slots.size());
  return fmt::format("; about {} at the pace of this session", format_duration(rounds * mean));
}

bool any_is_held(const results::OpenWork& work) {
  return std::ranges::any_of(work.blocks, [](const results::OpenBlock& block) { return block.held.has_value(); });
}

std::string while_running(const results::OpenWork& work, const results::OpenBlock& block) {
  if (work.slots.empty()) return "the run is starting: no rank has reported yet";
  const std::string again = block.failed_attempts.empty() ? "" : attempts_text(work, block) + "; ";
  if (block.held)
    return fmt::format("{}{} {}{}", again, block.held->is_first ? "runs now on" : "is next on", block.held->slot,
                       needs(block.demand));
  if (block.ahead < work.slots.size() && !any_is_held(work))
    return fmt::format("{}runs now, or is the next on its slot{}", again, needs(block.demand));
  const std::string behind =
      block.ahead == 0 ? "" : fmt::format(", behind {}{}", plural(block.ahead, "block"), about_when(work, block));
  return fmt::format("{}waits its turn on {}{}{}", again, plural(work.slots.size(), "slot"), behind,
                     needs(block.demand));
}

std::string while_stopped(const results::OpenWork& work, const results::OpenBlock& block) {
  if (work.out_of_reach) return "the run did not have what it takes" + needs(block.demand);
  if (!block.failed_attempts.empty()) return attempts_text(work, block) + "; then the run stopped";
  if (!block.held)
    return work.ended ? "the run was asked to stop before its turn came" : "the run was cut off before it had a result";
  const std::string end = work.ended ? "the run was asked to stop" : "the run was cut off";
  if (!block.held->is_first) return fmt::format("{} before its turn came on {}", end, block.held->slot);
  // At a drain it may have been the next as well: the block before it was recorded.
  return work.ended ? fmt::format("{} before {} had a result of it", end, block.held->slot)
                    : fmt::format("{} while it ran on {}", end, block.held->slot);
}

}  // namespace

Activity activity_of(const std::filesystem::path& folder) {
  Activity activity;
  activity.owner = folder_owner(folder);
  activity.running = !activity.owner.empty() || results::is_being_written(folder);
  return activity;
}

std::string run_state(const results::OpenWork& work, const Activity& activity) {
  const std::string owner = activity.owner.empty() ? "" : ": " + activity.owner;
  if (activity.running)
    return fmt::format("It runs now{} ({} reported).", owner,
                       work.slots.empty() ? "no rank has" : plural(work.slots.size(), "slot"));
  const std::string pass = pass_due(work, activity);
  if (work.blocks.empty() && pass.empty()) return "Nothing is open.";
  if (!activity.queued.empty()) return fmt::format("Nothing runs it now; {}.", activity.queued);
  if (work.out_of_reach)
    return fmt::format(
        "Nothing runs it now: the last session had too few ranks or cores, or not the device, for all "
        "that is left. The same command with them goes on; it was:\n  {}",
        work.results.provenance.command_line);
  const std::string state = pass.empty() ? fmt::format("Nothing runs it now: the last session {}",
                                                       work.ended ? "ended in order with work left" : "was cut off")
                                         : fmt::format("No trial is open, but {}", pass);
  return fmt::format("{}. Run the same command again, it goes on:\n  {}", state, work.results.provenance.command_line);
}

std::string pass_due(const results::OpenWork& work, const Activity& activity) {
  if (activity.running || !work.blocks.empty() || !work.passes_due) return {};
  return work.ended ? "a pass over the best or the undecided is due: the last session ended in order before it"
                    : "a pass over the best or the undecided may be due: the last session was cut off";
}

std::set<TrialIndex> running_trials(const results::OpenWork& work, const Activity& activity) {
  std::set<TrialIndex> running;
  for (const results::OpenBlock& block : work.blocks)
    if (activity.running && block.held && block.held->is_first)
      running.insert(block.trials.begin(), block.trials.end());
  return running;
}

std::vector<WhyOpen> why_open(const results::OpenWork& work, const Activity& activity) {
  std::vector<WhyOpen> all;
  std::set<TrialIndex> seen;  // a baseline waits for the first of its blocks
  for (const results::OpenBlock& block : work.blocks) {
    const std::string reason = activity.running ? while_running(work, block) : while_stopped(work, block);
    for (const TrialIndex trial : block.trials) {
      if (seen.insert(trial).second) all.push_back({trial, reason});
    }
  }
  return all;
}

}  // namespace regatta::launcher
