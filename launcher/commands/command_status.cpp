#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <variant>

#include "commands/commands.hpp"
#include "commands/why_waiting.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

constexpr unsigned follow_interval_microseconds = 1'000'000;

struct Counts {
  std::string name;
  std::size_t trials = 0;
  std::size_t finished = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t open = 0;     ///< without a result: waiting, running, or cut off
  std::size_t running = 0;  ///< of the open ones
  std::string pass_due;     ///< why; empty if none is
};

Counts count(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "journal")) {
    throw InputError(fmt::format(
        "'{}' holds no journal (status reads a folder NAME.regatta); name the folder that `regatta run` printed",
        folder.string()));
  }
  const Activity activity = activity_of(folder);
  const results::OpenWork work = results::open_work(folder);
  const results::Results& results = work.results;
  Counts counts;
  counts.name = results.name;
  counts.trials = results.trials.size();
  counts.running = running_trials(work, activity).size();
  counts.pass_due = pass_due(work, activity);
  for (const results::TrialRow& row : results.trials) {
    counts.finished += std::holds_alternative<sweep::Finished>(row.outcome);
    counts.failed += std::holds_alternative<sweep::Failed>(row.outcome);
    counts.skipped += std::holds_alternative<sweep::Skipped>(row.outcome);
    counts.open += std::holds_alternative<sweep::Lost>(row.outcome);
  }
  return counts;
}

void print(const Counts& counts, bool json) {
  if (json) {
    const nlohmann::ordered_json document = {{"name", counts.name},         {"trials", counts.trials},
                                             {"finished", counts.finished}, {"failed", counts.failed},
                                             {"skipped", counts.skipped},   {"open", counts.open},
                                             {"running", counts.running},   {"pass_due", !counts.pass_due.empty()}};
    fmt::print("{}\n", document.dump());
  } else {
    fmt::print("{}: {} trials: {} finished, {} failed, {} skipped, {} open{}{}\n", counts.name, counts.trials,
               counts.finished, counts.failed, counts.skipped, counts.open,
               counts.running > 0 ? fmt::format(" ({} running)", counts.running) : "",
               counts.pass_due.empty() ? "" : "; " + counts.pass_due);
  }
  std::fflush(stdout);
}

}  // namespace

int status(const std::filesystem::path& folder, bool json, bool follow) {
  for (;;) {
    const Counts counts = count(folder);
    print(counts, json);
    if (!follow || counts.open == 0) return 0;
    ::usleep(follow_interval_microseconds);
  }
}

}  // namespace regatta::launcher
