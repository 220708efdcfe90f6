#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/run_folder.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::launcher {
namespace {

std::filesystem::path without_slash(std::filesystem::path folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

/// "record 4 at byte 512, a result", "records 4 to 6 at byte 512".
std::string place_text(const results::Loss& loss) {
  const std::uint64_t first = loss.place.sequence;
  if (loss.records > 1)
    return fmt::format("records {} to {} at byte {}", first, first + loss.records - 1, loss.place.byte);
  if (loss.records == 0) return fmt::format("no record, but other bytes, at byte {}", loss.place.byte);
  const std::string kind = loss.kind.empty() ? "" : fmt::format(", kind {}", loss.kind);
  return fmt::format("record {} at byte {}{}", first, loss.place.byte, kind);
}

std::string block_text(const results::LostBlock& lost, const std::vector<sweep::Param>& axes) {
  std::vector<std::string> trials;
  for (const sweep::Parameters& trial : lost.trials) trials.push_back(clean(analysis::label(trial, axes)));
  return fmt::format(
      "block {}: {}", to_string(lost.block),
      trials.empty() ? "of another sweep, or another text of it" : fmt::format("{}", fmt::join(trials, "; ")));
}

void print_losses(const results::Salvaged& saved) {
  for (const results::Loss& loss : saved.lost) {
    fmt::print("lost: {} ({})\n", place_text(loss), loss.why);
    for (const results::LostBlock& lost : loss.blocks)
      fmt::print("      {} {}\n", loss.kind.empty() ? "perhaps of" : "of", block_text(lost, saved.axes));
  }
  for (const std::string& what : saved.given_up)
    fmt::print("lost: {}; its results are there, and count where a later run has the same blocks\n", what);
  for (const std::string& what : saved.made_anew) fmt::print("made anew: {}\n", what);
  if (saved.lost.empty() && saved.given_up.empty()) fmt::print("nothing is lost\n");
}

}  // namespace

int salvage(const SalvageArguments& arguments) {
  const std::filesystem::path& folder = arguments.folder;
  expect_journal(folder, "salvage saves what is whole of");
  const std::filesystem::path target = arguments.out / without_slash(folder).filename();
  std::optional<Job> job;
  std::optional<results::GivenSweep> given;
  if (!arguments.sweep.sweep_file.empty()) {
    job = read_job(arguments.sweep);
    given.emplace(results::GivenSweep{job->sweep, job->plan});
  }
  const results::Salvaged saved = results::salvage(folder, target, given ? &*given : nullptr);
  fmt::print("{}: {} records are whole, {} of them results; saved to {}\n", saved.name, saved.records, saved.blocks,
             target.string());
  print_losses(saved);
  fmt::print(
      "What is missing is measured by the same `regatta run` with --out {}; what is there is shown by\n"
      "  regatta collect {}\n",
      shell_word(arguments.out.string()), shell_word(target.string()));
  return 0;
}

}  // namespace regatta::launcher
