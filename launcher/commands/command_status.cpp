#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "commands/commands.hpp"
#include "commands/run_folder.hpp"
#include "commands/trial_counts.hpp"
#include "commands/why_waiting.hpp"
#include "job/legs_due.hpp"

namespace regatta::launcher {
namespace {

constexpr unsigned follow_interval_microseconds = 1'000'000;

TrialCounts count_trials_of(const std::filesystem::path& named) {
  const std::filesystem::path folder = run_folder(named, "status reads");
  const Activity activity = activity_of(folder);
  results::OpenWork work = results::open_work(folder);
  keep_due(work);
  return count_trials(work, activity);
}

}  // namespace

int status(const std::filesystem::path& folder, bool json, bool follow) {
  for (;;) {
    const TrialCounts counts = count_trials_of(folder);
    fmt::print("{}\n", json ? to_json(counts) : to_text(counts));
    std::fflush(stdout);
    if (!follow || counts.open == 0) return 0;
    ::usleep(follow_interval_microseconds);
  }
}

}  // namespace regatta::launcher
