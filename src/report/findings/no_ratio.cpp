#include <fmt/format.h>

#include <unordered_map>

#include "regatta/analysis/labels.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::NoContrast;
using analysis::NoContrastReason;

/// "failed: crashed: signal 11".
std::string ended(const results::TrialRow& trial) {
  const std::string reason = sweep::reason_of(trial.outcome);
  return std::string(sweep::status_of(trial.outcome)) + (reason.empty() ? "" : ": " + reason);
}

std::string reason_of(const View& view, const NoContrast& missing) {
  const results::TrialRow& row = view.results.trials[missing.of.value];
  const std::string name = analysis::trial_label(row.parameters, view.axes);
  switch (missing.why) {
    case NoContrastReason::not_finished:
      return ended(row);
    case NoContrastReason::no_baseline:
      return "no baseline here: no trial of the sweep matches it with these values";
    case NoContrastReason::baseline_not_finished:
      return "no baseline here: " + name + " " + ended(row);
    case NoContrastReason::other_work:
      return fmt::format("not compared: {} does not do the same work ({})", name,
                         sweep::text_of(row.facts, sweep::Fact::verified_detail));
    case NoContrastReason::no_result:
      return fmt::format(
          "not compared: in a run of it, or of its baseline, {} is missing or no finite number. If it was measured for "
          "another metric, run the sweep with another --out",
          analysis::metric_name(view.contrasts, view.contrasts.metric));
    case NoContrastReason::no_value:
      return fmt::format(
          "not compared: it gave no value of {}, as it had too little time. If it was measured for another metric, run "
          "the sweep with another --out",
          sweep::info(view.contrasts.metric).name);
    case NoContrastReason::few_slices:
      return fmt::format(
          "not compared: \"slices\" in \"measure\" is {}, and two rounds with its baseline take two slices of each "
          "arm; raise it, or leave it out",
          missing.slices);
    case NoContrastReason::no_square:
      break;
  }
  return "not compared: it has no two complete rounds with its baseline";
}

}  // namespace

std::vector<NoRatio> no_ratios(const View& view) {
  std::vector<NoRatio> found;
  std::unordered_map<std::string, std::size_t> by_reason;
  for (const NoContrast& missing : view.contrasts.missing) {
    std::string reason = reason_of(view, missing);
    const auto [entry, is_new] = by_reason.try_emplace(reason, found.size());
    if (is_new) found.push_back({{}, std::move(reason)});
    found[entry->second].trials.push_back(missing.trial);
  }
  return found;
}

}  // namespace regatta::report
