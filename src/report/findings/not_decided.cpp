#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "regatta/base/shell.hpp"
#include "report/findings/summary.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

bool has(const Contrast& contrast, std::string_view flag) {
  return std::ranges::find(contrast.flags, flag) != contrast.flags.end();
}

std::string rerun(const results::Results& results) {
  const std::string& file = results.provenance.sweep_file;
  return fmt::format("regatta run {} --rerun undecided --for 5m", file.empty() ? "SWEEP" : shell_word(file));
}

struct Reason {
  std::string why;
  std::string advice;
};

Reason reason_of(const Contrast& contrast, const std::string& measure_on) {
  if (has(contrast, "cores_shared"))
    return {"other ranks ran on the same cores", "run it with fewer --ranks, so that each has cores of its own"};
  if (has(contrast, "depends on call length"))
    return {"its time per step depends on how many steps a call takes, so there is no time of a step",
            "name steps_per_call as an axis and compare at the length that you use"};
  if (has(contrast, "all disturbed"))
    return {"something else ran beside every slice of it", "stop what runs beside it, then " + measure_on};
  if (has(contrast, "drifting"))
    return {"the ratio moved while it was measured", "look at its slices in the order of time, then " + measure_on};
  if (!contrast.low)
    return {"an interval needs at least 7 squares, and its time was up before", "measure on: " + measure_on};
  if (has(contrast, "noisy device"))
    return {"identical code differs by more than twice the margin here",
            "a quieter machine, or a larger measure.margin; then " + measure_on};
  return {"its interval reaches over the margin", "measure on: " + measure_on};
}

/// One entry for each status and reason, in the order in which they are met.
class Entries {
 public:
  void add(const std::string& status, const Reason& reason, TrialIndex trial) {
    const auto [entry, is_new] = by_reason_.try_emplace(status + '\n' + reason.why, all_.size());
    if (is_new) all_.push_back({status, reason.why, reason.advice, {}});
    all_[entry->second].trials.push_back(trial);
  }
  std::vector<Ended> take() { return std::move(all_); }

 private:
  std::vector<Ended> all_;
  std::unordered_map<std::string, std::size_t> by_reason_;
};

}  // namespace

std::vector<Ended> not_decided(const View& view) {
  Entries entries;
  const std::string measure_on = rerun(view.results);
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const std::string changed = sweep::text_of(view.results.trials[i].facts, sweep::Fact::changed_since);
    if (!changed.empty())
      entries.add("changed since", {changed, "run it without --keep-changed to measure what is there now"},
                  TrialIndex{i});
  }
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& trial = view.results.trials[i];
    if (trial.verified != sweep::Verified::no) continue;
    const std::string detail = sweep::text_of(trial.facts, sweep::Fact::verified_detail);
    entries.add("not the same work",
                {detail.empty() ? "its losses differ from the baseline's" : detail,
                 "there is no ratio until both do the same: compare precision, loss and versions"},
                TrialIndex{i});
  }
  for (const Contrast& contrast : view.contrasts.contrasts) {
    if (contrast.verdict == stats::Verdict::undecided)
      entries.add("undecided", reason_of(contrast, measure_on), contrast.a);
    else if (!contrast.survives)
      entries.add("doubtful",
                  {"among so many comparisons a difference like this can be chance", "measure on: " + measure_on},
                  contrast.a);
  }
  return entries.take();
}

}  // namespace regatta::report
