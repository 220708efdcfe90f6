#include "commands/trial_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "commands/printing.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

nlohmann::ordered_json sessions_json(const std::vector<results::SessionRow>& sessions) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const results::SessionRow& session : sessions) {
    nlohmann::ordered_json& row = list.emplace_back();
    row = {{"created", session.created}, {"ended", session.ended}};
    for (const results::BatchJobField& field : results::batch_job_fields)
      row[std::string(field.name)] = session.batch_job.*field.value;
    row[std::string(results::batch_job_restarts)] = session.batch_job.restarts;
    for (const results::OrchestrationField& field : results::orchestration_fields)
      row[std::string(field.name)] = session.self.*field.value;  // one that is not known is written as null
  }
  return list;
}

std::optional<Pace> pace_of(const results::OpenWork& work, const Activity& activity, double now_wall_seconds) {
  const double taken = work.last_result_wall_seconds - work.first_start_wall_seconds;
  if (!activity.running || work.block_seconds.empty() || !(taken > 0)) return std::nullopt;
  Pace pace{work.block_seconds.size(), work.blocks.size(), static_cast<double>(work.block_seconds.size()) / taken};
  const double since = std::max(0.0, now_wall_seconds - work.last_result_wall_seconds);
  pace.left_seconds = std::max(0.0, static_cast<double>(pace.blocks_open) / pace.blocks_per_second - since);
  return pace;
}

/// ", about 12 s left"; empty where that is not known.
std::string left_text(const TrialCounts& counts) {
  if (!counts.pace || counts.pace->blocks_open == 0 || counts.pace->left_seconds < 1) return "";
  return ", about " + format_duration(counts.pace->left_seconds) + " left";
}

/// "12 a minute"; "3 an hour" for slow blocks.
std::string rate_text(double blocks_per_second) {
  const double a_minute = 60 * blocks_per_second;
  return a_minute >= 1 ? fmt::format("{:.3g} a minute", a_minute) : fmt::format("{:.3g} an hour", 60 * a_minute);
}

}  // namespace

TrialCounts count_trials(const results::OpenWork& work, const Activity& activity, double now_wall_seconds) {
  TrialCounts counts;
  counts.name = work.results.name;
  counts.trials = work.results.trials.size();
  counts.sessions = work.results.sessions;
  counts.running = running_trials(work, activity).size();
  counts.pass_due = pass_due(work, activity);
  counts.pace = pace_of(work, activity, now_wall_seconds);
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
                     counts.running > 0 ? fmt::format(" ({} running{})", counts.running, left_text(counts)) : "",
                     counts.pass_due.empty() ? "" : "; " + counts.pass_due);
}

std::string pace_text(const TrialCounts& counts) {
  if (!counts.pace) return "time left not known yet: no block of this session is done";
  const Pace& pace = *counts.pace;
  const std::string done =
      fmt::format("{} done in this session, {}", counted(pace.blocks_done, "block"), rate_text(pace.blocks_per_second));
  if (pace.blocks_open == 0) return done;
  const std::string left = pace.left_seconds < 1 ? "any moment" : "about " + format_duration(pace.left_seconds);
  return fmt::format("{}; {} left, {}", done, counted(pace.blocks_open, "block"), left);
}

std::string to_json(const TrialCounts& counts) {
  nlohmann::ordered_json document = {{"name", counts.name},         {"trials", counts.trials},
                                     {"finished", counts.finished}, {"failed", counts.failed},
                                     {"skipped", counts.skipped},   {"open", counts.open},
                                     {"running", counts.running},   {"pass_due", !counts.pass_due.empty()}};
  if (counts.pace) {
    document["blocks_per_second"] = counts.pace->blocks_per_second;
    document["left_seconds"] = counts.pace->left_seconds;
  }
  document["sessions"] = sessions_json(counts.sessions);
  if (!counts.training.empty()) document["training"] = nlohmann::ordered_json::parse(counts.training);
  return document.dump();
}

}  // namespace regatta::launcher
