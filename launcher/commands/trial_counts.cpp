#include "commands/trial_counts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>

namespace regatta::launcher {
namespace {

nlohmann::ordered_json sessions_json(const std::vector<results::SessionRow>& sessions) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const results::SessionRow& session : sessions) {
    nlohmann::ordered_json& row = list.emplace_back();
    row = {{"created", session.created}, {"ended", session.ended}};
    for (const results::OrchestrationField& field : results::orchestration_fields)
      row[std::string(field.name)] = session.self.*field.value;  // one that is not known is written as null
  }
  return list;
}

}  // namespace

TrialCounts count_trials(const results::OpenWork& work, const Activity& activity) {
  TrialCounts counts;
  counts.name = work.results.name;
  counts.trials = work.results.trials.size();
  counts.sessions = work.results.sessions;
  counts.running = running_trials(work, activity).size();
  counts.pass_due = pass_due(work, activity);
  for (const results::TrialRow& row : work.results.trials) {
    counts.finished += std::holds_alternative<sweep::Finished>(row.outcome);
    counts.failed += std::holds_alternative<sweep::Failed>(row.outcome);
    counts.skipped += std::holds_alternative<sweep::Skipped>(row.outcome);
    counts.open += std::holds_alternative<sweep::Lost>(row.outcome);
  }
  return counts;
}

std::string to_text(const TrialCounts& counts) {
  return fmt::format("{}: {} trials: {} finished, {} failed, {} skipped, {} open{}{}", counts.name, counts.trials,
                     counts.finished, counts.failed, counts.skipped, counts.open,
                     counts.running > 0 ? fmt::format(" ({} running)", counts.running) : "",
                     counts.pass_due.empty() ? "" : "; " + counts.pass_due);
}

std::string to_json(const TrialCounts& counts) {
  nlohmann::ordered_json document = {{"name", counts.name},         {"trials", counts.trials},
                                     {"finished", counts.finished}, {"failed", counts.failed},
                                     {"skipped", counts.skipped},   {"open", counts.open},
                                     {"running", counts.running},   {"pass_due", !counts.pass_due.empty()}};
  document["sessions"] = sessions_json(counts.sessions);
  if (!counts.training.empty()) document["training"] = nlohmann::ordered_json::parse(counts.training);
  return document.dump();
}

}  // namespace regatta::launcher
