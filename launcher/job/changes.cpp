#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "job/job.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t most_lines = 12;
constexpr std::size_t most_names = 3;

using Trials = std::set<TrialIndex>;

struct Change {
  std::string what;
  Trials trials;
};

void add(std::vector<Change>& changes, const std::string& what, TrialIndex trial) {
  auto known = std::ranges::find(changes, what, &Change::what);
  if (known == changes.end()) known = changes.insert(changes.end(), {what, {}});
  known->trials.insert(trial);
}

/// "2 trials" or "1 trial".
std::string count_of(std::size_t trials) { return fmt::format("{} trial{}", trials, trials == 1 ? "" : "s"); }

std::string names_of(const Job& job, const Trials& trials) {
  std::string text;
  std::size_t shown = 0;
  for (const TrialIndex trial : trials) {
    if (++shown > most_names) return text + fmt::format(" and {} more", trials.size() - most_names);
    const auto& parameters = job.plan.trials[trial.value].parameters;
    text += (text.empty() ? "" : ", ") + analysis::label(parameters, sweep::axis_params(job.sweep));
  }
  return text;
}

std::string line_of(const Job& job, const Change& change, const char* one, const char* many) {
  const std::size_t count = change.trials.size();
  return fmt::format("{} changed: {} ({}) {}", change.what, count_of(count), names_of(job, change.trials),
                     count == 1 ? one : many);
}

/// By what changed, and the trials that stand beside them in their blocks.
struct Changed {
  std::vector<Change> changes;
  Trials beside;
};

Changed by_what(const Job& job, const results::ChangedBlocks& blocks) {
  Changed found;
  Trials changed;
  for (const sweep::Block& block : job.plan.blocks) {
    const auto known = blocks.find(block.hash);
    if (known == blocks.end()) continue;
    for (std::size_t arm = 0; arm < std::min(block.arms.size(), known->second.size()); ++arm) {
      for (const std::string& what : known->second[arm]) add(found.changes, what, block.arms[arm]);
      (known->second[arm].empty() ? found.beside : changed).insert(block.arms[arm]);
    }
  }
  for (const TrialIndex trial : changed) found.beside.erase(trial);
  return found;
}

/// Changes in the sweep's words on trials that are recorded with other words.
std::vector<Change> other_words(const Job& job, const results::Scan& journal) {
  std::vector<Change> changes;
  if (results::is_current(journal, job.sweep)) return changes;
  std::set<TrialIndex> recorded;
  const HashSet finished = results::finished_blocks(journal);
  for (const sweep::Block& block : job.plan.blocks) {
    if (finished.contains(block.hash)) recorded.insert(block.arms.begin(), block.arms.end());
  }
  for (const results::OtherWords& other : results::other_words(job.folder(), journal, job.sweep, job.plan)) {
    for (const TrialIndex trial : other.trials) {
      if (!recorded.contains(trial)) add(changes, other.what, trial);
    }
  }
  return changes;
}

}  // namespace

results::ChangedBlocks reopened_by_change(const Job& job, const results::Scan& journal) {
  return job.options.keep_changed ? results::ChangedBlocks() : results::changed_blocks(journal, job.plan, job.origins);
}

std::vector<std::string> changed_meanwhile(const Job& job) {
  std::set<std::string> all;
  for (const auto& [runner, now] : origins_now(job)) {
    const auto then = job.origins.find(runner);
    if (then == job.origins.end()) continue;  // a file that was made meanwhile
    const std::vector<std::string> differ = sweep::differences(then->second, now);
    all.insert(differ.begin(), differ.end());
  }
  return {all.begin(), all.end()};
}

bool tells_changes_anew(const Job& job, const results::Scan& journal) {
  const results::LastOrigins last = results::last_origins(journal);
  const results::ChangedBlocks now = results::changed_blocks(journal, job.plan, job.origins);
  const bool is_kept_alike = now.empty() || job.options.keep_changed == last.keeps_changed;
  return !is_kept_alike || now != results::changed_blocks(journal, job.plan, last.origins);
}

std::vector<std::string> change_lines(const Job& job, const results::Scan& journal) {
  std::vector<std::string> lines;
  for (const Change& change : other_words(job, journal))
    lines.push_back(line_of(job, change, "is measured; what was measured before stays in the folder",
                            "are measured; what was measured before stays in the folder"));
  const Changed changed = by_what(job, results::changed_blocks(journal, job.plan, job.origins));
  for (const Change& change : changed.changes)
    lines.push_back(job.options.keep_changed
                        ? line_of(job, change, "is kept, marked `changed since`", "are kept, marked `changed since`")
                        : line_of(job, change, "is measured again", "are measured again"));
  if (!changed.beside.empty() && !job.options.keep_changed)
    lines.push_back(fmt::format("{} beside {} measured again: what is compared is measured together",
                                count_of(changed.beside.size()), changed.beside.size() == 1 ? "is" : "are"));
  if (lines.size() > most_lines) {
    const std::size_t left = lines.size() - most_lines;
    lines.resize(most_lines);
    lines.push_back(fmt::format("{} more changes", left));
  }
  return lines;
}

}  // namespace regatta::launcher
