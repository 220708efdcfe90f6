#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "job/job.hpp"
#include "regatta/analysis/learning.hpp"
#include "regatta/results/changed.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/results/store.hpp"

namespace regatta::launcher {
namespace {

/// Legs that count: not those of what has changed since, nor failed ones that are to be tried again.
std::vector<results::LegRow> legs_that_count(const Job& job, const results::Scan& journal, double tried_since) {
  std::vector<results::LegRow> legs = results::recorded_legs(journal, job.plan);
  const auto changed = results::changed_blocks(journal, job.plan, job.origins);
  std::erase_if(legs, [&](const results::LegRow& leg) {
    const bool has_failed = std::holds_alternative<sweep::Failed>(leg.outcome) && leg.end_wall_seconds < tried_since;
    const bool tries_again = job.options.rerun == Rerun::failed && has_failed;
    return tries_again || (!job.options.keep_changed && changed.contains(leg.block));
  });
  return legs;
}

using Key = std::tuple<std::uint32_t, sweep::Purpose, std::int64_t, std::uint32_t>;

Key key_of(TrialIndex trial, const sweep::Leg& leg) { return {trial.value, leg.purpose, leg.seed, leg.rung}; }

/// Whether legs of a trial are recorded that ran, and such that did not.
struct Recorded {
  bool ran = false;
  bool skipped = false;
};

std::map<TrialIndex, Recorded> kinds_of(const std::vector<results::LegRow>& legs) {
  std::map<TrialIndex, Recorded> kinds;
  for (const results::LegRow& leg : legs) {
    const bool skipped = std::holds_alternative<sweep::Skipped>(leg.outcome);
    (skipped ? kinds[leg.trial].skipped : kinds[leg.trial].ran) = true;
  }
  return kinds;
}

/// Its results say so too: the search is over those that can run, whoever asks.
bool was_skipped(const std::map<TrialIndex, Recorded>& recorded, TrialIndex trial) {
  const auto found = recorded.find(trial);
  return found != recorded.end() && found->second.skipped && !found->second.ran;
}

}  // namespace

std::vector<sweep::Block> legs_due(const Job& job, const results::Scan& journal, std::optional<double> tried_since) {
  if (!tried_since) tried_since = job.tried_since;
  if (!tried_since) tried_since = results::rerun_since(journal);
  const auto legs = legs_that_count(job, journal, tried_since.value_or(std::numeric_limits<double>::infinity()));
  const auto recorded = kinds_of(legs);
  std::vector<results::TrialRow> trials;
  for (const sweep::Trial& trial : job.plan.trials) {
    results::TrialRow& row = trials.emplace_back();
    row.hash = trial.hash;
    row.parameters = trial.parameters;
    if (trial.skip_reason || job.unfit.contains(trial.index) || was_skipped(recorded, trial.index))
      row.outcome = sweep::Skipped{};
  }
  std::map<Key, std::size_t> wanted;  // and in which order
  for (const auto& [trial, leg] : analysis::legs_due(job.sweep, trials, legs))
    wanted.emplace(key_of(trial, leg), wanted.size());
  std::set<TrialIndex> unfit;
  for (const auto& [trial, reason] : job.unfit) {
    if (!recorded.contains(trial)) unfit.insert(trial);
  }
  std::vector<sweep::Block> due;
  std::vector<const sweep::Block*> in_turn(wanted.size(), nullptr);
  for (const sweep::Block& block : job.plan.blocks) {
    if (!block.leg) continue;
    const TrialIndex trial = block.arms.front();
    const auto place = wanted.find(key_of(trial, *block.leg));
    if (place != wanted.end())
      in_turn[place->second] = &block;
    else if (unfit.erase(trial) > 0)
      due.push_back(block);
  }
  for (const sweep::Block* block : in_turn) {
    if (block != nullptr) due.push_back(*block);
  }
  return due;
}

std::string seeds_text(const Job& job, std::string_view kind) {
  const std::int64_t seeds = job.sweep.training->seeds;
  return fmt::format("{} {}seed{}", seeds, kind, seeds == 1 ? "" : "s");
}

void reopen_due(const sweep::Sweep& sweep, results::Results& results) {
  for (const auto& [trial, leg] : analysis::legs_due(sweep, results.trials, results.legs)) {
    sweep::Outcome& outcome = results.trials.at(trial.value).outcome;
    if (std::holds_alternative<sweep::Finished>(outcome)) outcome = sweep::Lost{};
  }
}

void keep_due(results::OpenWork& work) {
  if (!work.sweep.training) return;
  std::set<Key> due;
  for (const auto& [trial, leg] : analysis::legs_due(work.sweep, work.results.trials, work.results.legs))
    due.insert(key_of(trial, leg));
  std::erase_if(work.blocks, [&](const results::OpenBlock& block) {
    return block.leg && !due.contains(key_of(block.trials.front(), *block.leg));
  });
  for (std::size_t at = 0; at < work.blocks.size(); ++at) work.blocks[at].ahead = at;
  reopen_due(work.sweep, work.results);
}

std::string purpose_of(const Job& job, const std::vector<sweep::Block>& due) {
  std::set<TrialIndex> trials;
  std::uint32_t rung = std::numeric_limits<std::uint32_t>::max();  // trials that are trained on are in later rungs
  for (const sweep::Block& block : due) {
    if (job.unfit.contains(block.arms.front())) continue;  // a row alone
    trials.insert(block.arms.front());
    rung = std::min(rung, block.leg->rung);
  }
  const auto all_are = [&](sweep::Purpose purpose) {
    return std::ranges::all_of(due, [&](const sweep::Block& block) { return block.leg->purpose == purpose; });
  };
  const std::string configurations = fmt::format("{} configuration{}", trials.size(), trials.size() == 1 ? "" : "s");
  if (all_are(sweep::Purpose::plain)) return fmt::format("{} under {}", configurations, seeds_text(job, ""));
  if (all_are(sweep::Purpose::test)) return fmt::format("{}: the test part is opened", configurations);
  if (all_are(sweep::Purpose::fresh))
    return fmt::format("{} again, under {}", configurations, seeds_text(job, "fresh "));
  if (all_are(sweep::Purpose::again)) return fmt::format("{} again, under the same seed", configurations);
  return fmt::format("rung {} of {}: {}", rung + 1, job.sweep.search->rungs, configurations);
}

}  // namespace regatta::launcher
