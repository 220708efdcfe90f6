#include <fmt/format.h>

#include <algorithm>

#include "regatta/report/report.hpp"
#include "regatta/stats/rules.hpp"
#include "report/findings/measure_on.hpp"

namespace regatta::report {
namespace {

constexpr std::int64_t usual_batch = 64;

/// Number of contrasts without a verdict that more time can decide.
std::size_t open_contrasts(const analysis::Contrasts& contrasts) {
  return static_cast<std::size_t>(std::ranges::count_if(contrasts.contrasts, [](const auto& contrast) {
    return contrast.verdict == stats::Verdict::undecided && analysis::can_be_decided(contrast);
  }));
}

/// All that are undecided.
bool have_fixed_slices(const analysis::Contrasts& contrasts) {
  return std::ranges::all_of(contrasts.contrasts, [](const auto& contrast) {
    return contrast.verdict != stats::Verdict::undecided || analysis::has_fixed_slices(contrast);
  });
}

/// Settings with more cells than are measured again, whose best were not.
std::size_t chosen_from_many(const analysis::Findings& findings) {
  return static_cast<std::size_t>(
      std::ranges::count_if(findings.fastest, [](const auto& each) { return !each.due.empty(); }));
}

/// "the comparison that is", "the 3 comparisons that are".
std::string comparisons_text(std::size_t count) {
  return count == 1 ? "the comparison that is" : fmt::format("the {} comparisons that are", count);
}

template <class Kind>
std::size_t count(const results::Results& results) {
  return static_cast<std::size_t>(std::ranges::count_if(
      results.trials, [](const auto& trial) { return std::holds_alternative<Kind>(trial.outcome); }));
}

/// Ranks of the largest trial that is open.
std::int64_t ranks_wanted(const results::Results& results) {
  std::int64_t most = 1;
  for (const results::TrialRow& row : results.trials) {
    if (std::holds_alternative<sweep::Lost>(row.outcome))
      most = std::max(most, sweep::integer_or(row.parameters, sweep::Param::ranks, 1));
  }
  return most;
}

/// With as many ranks as what is open needs; mpirun and srun say it elsewhere.
NextStep go_on(const results::Results& results, const std::string& run) {
  const std::int64_t ranks = ranks_wanted(results);
  if (ranks == 1) return {run, "goes on where it stopped"};
  return {with_ranks(run, ranks),
          fmt::format("goes on where it stopped; what is open has up to {0} ranks: it takes --ranks {0}, not fewer",
                      ranks)};
}

/// The findings of a training know better than the outcomes of trials which runs are due.
std::vector<NextStep> next_steps_of(const analysis::Learning& learning, const results::Results& results,
                                    const std::string& run) {
  std::vector<NextStep> steps;
  if (!learning.over) steps.push_back(go_on(results, run));
  if (!learning.failures.empty()) steps.push_back({run + " --rerun failed", "tries what failed again"});
  const auto few = std::ranges::find(learning.warnings, search::Warning::few_seeds) != learning.warnings.end();
  if (few && learning.training.seeds < static_cast<std::int64_t>(stats::rules::fewest_units))
    steps.push_back({run, "after \"seeds\": 12 under \"train\" in the file: enough for a verdict"});
  return steps;
}

}  // namespace

std::vector<NextStep> next_steps(const results::Results& results, const analysis::Findings& findings) {
  if (results.provenance.sweep_file.empty()) return {};
  const std::string run = run_command(results.provenance);
  if (findings.learning) return next_steps_of(*findings.learning, results, run);
  std::vector<NextStep> steps;
  if (count<sweep::Lost>(results) > 0) steps.push_back(go_on(results, run));
  if (count<sweep::Failed>(results) > 0) steps.push_back({run + " --rerun failed", "tries what failed again"});
  if (const auto open = open_contrasts(findings.contrasts); open > 0) {
    if (have_fixed_slices(findings.contrasts))
      steps.push_back({run + " --rerun undecided",
                       fmt::format("adds as many slices again to {} not known yet", comparisons_text(open))});
    else
      steps.push_back(
          {measure_on(results, findings.contrasts), fmt::format("measures {} not known yet", comparisons_text(open))});
  }
  const auto early = early_answers(findings.contrasts);
  if (steps.empty() && !early.empty())
    steps.push_back({confirm_early(results, early), fmt::format("confirms {} early", comparisons_text(early.size()))});
  if (const auto chosen = chosen_from_many(findings); chosen > 0)
    steps.push_back({run + " --rerun fastest",
                     fmt::format("measures the best cells of {} setting{} afresh: chosen as the best of many, their "
                                 "figures may flatter them",
                                 chosen, chosen == 1 ? "" : "s")});
  const auto reads_batch = [](const auto& trial) { return sweep::batch_of(trial.parameters).has_value(); };
  const bool has_usual = std::ranges::any_of(
      results.trials, [](const auto& trial) { return sweep::batch_of(trial.parameters) == usual_batch; });
  const bool is_set = run.find(" --set batch=") != std::string::npos || run.find(" --set 'batch=") != std::string::npos;
  const bool has_run = count<sweep::Finished>(results) > 0;
  if (steps.empty() && has_run && !is_set && std::ranges::any_of(results.trials, reads_batch))
    steps.push_back({fmt::format("{} --set batch={}", run, has_usual ? 4 * usual_batch : usual_batch),
                     "another batch; your own model: docs/guide/your-model.md"});
  return steps;
}

}  // namespace regatta::report
