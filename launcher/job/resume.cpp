#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "job/job.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/results/salvage.hpp"

namespace regatta::launcher {
namespace {

/// A folder of results that is not there yet.
std::filesystem::path new_folder(const std::filesystem::path& out) {
  return unused_name((out.has_filename() ? out : out.parent_path()).string() + "-salvaged");
}

std::string commands_to_go_on(const Job& job, bool has_plan) {
  const std::string sweep = shell_path(job.options.sweep_file);
  std::string options;
  for (const std::string& word : sweep_changes(job.options)) options += " " + shell_word(word);
  const std::string out = shell_path(new_folder(job.options.out));
  const std::string given = has_plan ? "" : " --sweep " + sweep + options;
  return fmt::format("  regatta collect {} --salvage -o {}{}\n  regatta run {}{} --out {}", shell_path(job.folder()),
                     out, given, sweep, options, out);
}

}  // namespace

namespace {

/// Nothing where they cannot be read: whoever asks for them when the folder is ours is told why.
results::Scan records_as_they_are(const std::filesystem::path& folder) {
  try {
    return results::whole_records(results::journal_file(folder));
  } catch (const InputError&) {
    return {};
  }
}

/// Messages and the journal hold paths as texts in UTF-8: a folder with another name would not be found again.
void expect_utf8(const std::filesystem::path& path, const char* advice) {
  if (path.empty()) return;
  const std::string whole = std::filesystem::absolute(path).string();
  if (is_utf8(whole)) return;
  throw InputError(fmt::format("the path '{}' is not in UTF-8 (a run keeps paths as text); {}", whole, advice));
}

}  // namespace

JobToGoOn read_to_go_on(const JobOptions& options) {
  expect_utf8(options.out, "choose another folder with --out, or rename it");
  expect_utf8(options.sweep_file, "rename the folder or the sweep file, or move the file");
  expect_utf8(options.read_as, "rename the folder, or start in another one");
  expect_utf8(options.environments_file, "rename the folder or the --environments file");
  expect_utf8(executable_folder(), "install Regatta in another folder");
  Job job = read_unplanned(options);
  auto records = std::async(std::launch::async, records_as_they_are, job.folder());
  return {std::async(std::launch::async, expanded, std::move(job)), std::move(records)};
}

namespace {

/// A batch job that comes back again and again, and does nothing, would wait in the queue for ever.
void expect_fruit(const Job& job, const results::Scan& journal) {
  constexpr std::size_t most_fruitless = 3;
  if (job.options.life < static_cast<std::int64_t>(most_fruitless)) return;
  const std::size_t fruitless = results::fruitless_sessions(journal);
  if (fruitless < most_fruitless) return;
  throw InputError(
      fmt::format("the last {} lives of this job recorded nothing new: it would go on like this. Look in its log for "
                  "what stopped them (is --time long enough for one trial?), and submit it again",
                  fruitless));
}

}  // namespace

results::Scan resume(const Job& job, double lock_seconds, results::Scan before) {
  try {
    results::Scan journal = results::resume_store(job.folder(), {job.sweep, job.plan}, lock_seconds, std::move(before));
    expect_fruit(job, journal);
    return journal;
  } catch (const results::DamagedJournal& error) {
    throw InputError(fmt::format("{}; put back a good copy, or go on with what is whole, in another folder:\n{}",
                                 error.damage, commands_to_go_on(job, error.has_plan)));
  }
}

}  // namespace regatta::launcher
