#include "job/resume.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::launcher {
namespace {

/// A folder of results that is not there yet.
std::filesystem::path new_folder(const std::filesystem::path& out) {
  return unused_name((out.has_filename() ? out : out.parent_path()).string() + "-salvaged");
}

std::string commands_to_go_on(const Job& job, bool has_plan) {
  const std::string sweep = shell_word(job.options.sweep_file.string());
  std::string options;
  for (const std::string& word : sweep_changes(job.options)) options += " " + shell_word(word);
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
