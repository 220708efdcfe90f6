#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/run_folder.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::launcher {
namespace {

std::filesystem::path without_slash(std::filesystem::path folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

}  // namespace

int salvage(const std::filesystem::path& folder, const std::filesystem::path& out) {
  expect_journal(folder, "salvage saves what is whole of");
  const std::filesystem::path target = out / without_slash(folder).filename();
  const results::Salvaged saved = results::salvage(folder, target);
  fmt::print("{}: {} records are whole, {} of them results; saved to {}\n", saved.name, saved.records, saved.blocks,
             target.string());
  fmt::print("damaged: {} lines of the journal, {} records missing in all\n", saved.damaged_lines,
             saved.missing_records);
  if (saved.lost_samples > 0) fmt::print("left out: {} results whose samples are damaged\n", saved.lost_samples);
  fmt::print(
      "What is missing is measured by the same `regatta run` with --out {}; what is there is shown by\n"
      "  regatta collect {}\n",
      out.string(), target.string());
  return 0;
}

}  // namespace regatta::launcher
