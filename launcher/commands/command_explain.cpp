#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "commands/run_folder.hpp"
#include "commands/why_waiting.hpp"
#include "job/legs_due.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/results/query.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t most_labels = 3;  // of trials with one reason; --json lists all

using Json = nlohmann::ordered_json;

/// Trials that wait for the same reason stand together.
void print_reasons(const results::OpenWork& work, const std::vector<WhyOpen>& open) {
  const analysis::Axes axes = analysis::axes_of(work.results);
  for (auto first = open.begin(); first != open.end();) {
    const auto end = std::find_if(first, open.end(), [&](const WhyOpen& each) { return each.reason != first->reason; });
    const auto count = static_cast<std::size_t>(end - first);
    print_wrapped(fmt::format("{} trial{}: {}", count, count == 1 ? "" : "s", first->reason));
    for (auto each = first; each != end && each < first + most_labels; ++each) {
      const results::TrialRow& row = work.results.trials[each->trial.value];
      print_wrapped(fmt::format("{}  {}", to_string(row.hash).substr(0, 8), trial_label(row.parameters, axes)), 2);
    }
    if (count > most_labels) fmt::print("  and {} more\n", count - most_labels);
    first = end;
  }
}

void print_json(const results::OpenWork& work, const Activity& activity, const std::vector<WhyOpen>& open) {
  const analysis::Axes axes = analysis::axes_of(work.results);
  Json trials = Json::array();
  for (const WhyOpen& each : open) {
    const results::TrialRow& row = work.results.trials[each.trial.value];
    trials.push_back(
        {{"id", to_string(row.hash)}, {"label", trial_label(row.parameters, axes)}, {"reason", each.reason}});
  }
  const Json document = {{"name", work.results.name},
                         {"running", activity.running},
                         {"owner", activity.owner},
                         {"ended_in_order", work.ended},
                         {"slots", work.slots},
                         {"open_blocks", work.blocks.size()},
                         {"state", run_state(work, activity)},
                         {"trials", trials}};
  print_document(document);
}

/// Only this trial: also what became of it, if it has a result.
void keep_only(const results::OpenWork& work, TrialIndex wanted, std::vector<WhyOpen>& open) {
  std::erase_if(open, [&](const WhyOpen& each) { return each.trial != wanted; });
  const results::TrialRow& row = work.results.trials[wanted.value];
  if (open.empty()) open.push_back({wanted, "it does not wait; " + outcome_text(row.outcome)});
}

}  // namespace

int explain(const ExplainArguments& arguments) {
  const std::filesystem::path folder = run_folder(arguments.folder, "explain reads");
  const Activity activity = activity_of(folder);
  results::OpenWork work = results::open_work(folder);
  keep_due(work);
  std::vector<WhyOpen> open = why_open(work, activity);
  const std::size_t waiting = open.size();
  if (!arguments.id.empty()) keep_only(work, results::find_trial(work.results, arguments.id), open);
  if (arguments.json) {
    print_json(work, activity, open);
    return 0;
  }
  fmt::print("{}: {} of {} trials {}.\n", work.results.name, waiting, work.results.trials.size(),
             work.sweep.training ? "are to be trained on" : "have no result yet");
  fmt::print("{}\n", run_state(work, activity));
  print_reasons(work, open);
  const auto explaining = std::ranges::count_if(work.blocks, &results::OpenBlock::explains);
  if (explaining > 0)
    fmt::print("{} blocks that tell why a cell is slow are open; no trial waits for them.\n", explaining);
  return 0;
}

}  // namespace regatta::launcher
