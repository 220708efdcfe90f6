#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <variant>

#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/results/store.hpp"

namespace regatta::launcher {
namespace {

constexpr unsigned follow_interval_microseconds = 1'000'000;

struct Counts {
  std::string name;
  std::size_t trials = 0;
  std::size_t finished = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t open = 0;  ///< without a result: waiting, running, or cut off
};

Counts count(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "journal")) {
    throw InputError(fmt::format(
        "'{}' holds no journal (status reads a folder NAME.regatta); name the folder that `regatta run` printed",
        folder.string()));
  }
  const results::Results results = results::collect(folder);
  Counts counts{results.name, results.trials.size()};
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
                                             {"skipped", counts.skipped},   {"open", counts.open}};
    fmt::print("{}\n", document.dump());
  } else {
    fmt::print("{}: {} trials: {} finished, {} failed, {} skipped, {} open\n", counts.name, counts.trials,
               counts.finished, counts.failed, counts.skipped, counts.open);
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
