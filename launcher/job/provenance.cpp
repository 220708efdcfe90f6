#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "host/host.hpp"
#include "job/job.hpp"
#include "regatta/base/version.hpp"

namespace regatta::launcher {
namespace {

// The commit that HEAD names in the repository that holds `folder`; read from its files, because git
// may not be installed where jobs run. Packed references are looked up too.
std::string git_commit(std::filesystem::path folder) {
  std::error_code none;
  for (folder = std::filesystem::absolute(folder, none); !std::filesystem::exists(folder / ".git" / "HEAD", none);
       folder = folder.parent_path()) {
    if (folder == folder.parent_path()) return {};
  }
  const std::filesystem::path git = folder / ".git";
  std::string head = first_line(git / "HEAD");
  if (!head.starts_with("ref: ")) return head;
  const std::string name = head.substr(5);
  if (std::string commit = first_line(git / name); !commit.empty()) return commit;
  std::ifstream packed(git / "packed-refs");
  for (std::string line; std::getline(packed, line);) {
    if (line.ends_with(" " + name)) return line.substr(0, line.find(' '));
  }
  return {};
}

}  // namespace

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

results::Provenance make_provenance(const Job& job, const std::string& created, const std::string& mpi_version) {
  results::Provenance provenance;
  provenance.sweep_json = job.sweep.text;
  provenance.sweep_file = job.sweep.file.string();
  provenance.command_line = job.options.command_line;
  provenance.regatta_version = regatta_version();
  provenance.git_commit = git_commit(job.sweep.file.parent_path());
  provenance.created = created;
  provenance.versions = {{"mpi", mpi_version}, {"compiler", __VERSION__}};
  provenance.spreads = job.spreads;
  provenance.batch_job = batch_job();
  provenance.origins = job.origins;
  if (job.options.rerun == Rerun::failed) provenance.rerun_since = job.tried_since.value_or(0);
  provenance.keeps_changed = job.options.keep_changed;
  return provenance;
}

}  // namespace regatta::launcher
