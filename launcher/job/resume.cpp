#include "job/resume.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "regatta/base/error.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::launcher {
namespace {

/// What tells the sweep of this job on a command line.
std::string sweep_options(const JobOptions& options) {
  std::string text;
  for (const std::string& assignment : options.set) text += " --set " + shell_word(assignment);
  for (const std::string& assignment : options.only) text += " --only " + shell_word(assignment);
  if (!options.environments_file.empty()) text += " --environments " + shell_word(options.environments_file.string());
  return text;
}

/// A folder of results that is not there yet.
std::filesystem::path new_folder(const std::filesystem::path& out) {
  const std::string beside = (out.has_filename() ? out : out.parent_path()).string() + "-salvaged";
  std::filesystem::path folder = beside;
  std::error_code unseen;
  for (int number = 2; std::filesystem::exists(folder, unseen); ++number) folder = fmt::format("{}-{}", beside, number);
  return folder;
}

std::string commands_to_go_on(const Job& job, bool has_plan) {
  const std::string sweep = shell_word(job.options.sweep_file.string());
  const std::string options = sweep_options(job.options);
  const std::string out = shell_word(new_folder(job.options.out).string());
  const std::string given = has_plan ? "" : " --sweep " + sweep + options;
  return fmt::format("  regatta salvage {} -o {}{}\n  regatta run {}{} --out {}", shell_word(job.folder().string()),
                     out, given, sweep, options, out);
}

}  // namespace

results::Scan resume(const Job& job, double lock_seconds) {
  try {
    return results::resume_store(job.folder(), {job.sweep, job.plan}, lock_seconds);
  } catch (const results::DamagedJournal& error) {
    throw InputError(fmt::format("{}; put back a good copy, or go on with what is whole, in another folder:\n{}",
                                 error.damage, commands_to_go_on(job, error.has_plan)));
  }
}

}  // namespace regatta::launcher
