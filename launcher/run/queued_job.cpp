#include "run/queued_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <system_error>

#include "job/job.hpp"
#include "os/ask_program.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

namespace fs = std::filesystem;

constexpr double answer_seconds = 5;
constexpr const char* waiting = "PENDING";
constexpr const char* format = "%i|%T|%r|%Z|%o";  // the last two may hold anything

/// The text up to the next `|`, which is taken off.
std::optional<std::string> take_field(std::string_view& line) {
  const std::size_t end = line.find('|');
  if (end == std::string_view::npos) return std::nullopt;
  std::string field(line.substr(0, end));
  line.remove_prefix(end + 1);
  return field;
}

std::optional<QueuedJob> parse_line(std::string_view line) {
  const auto id = take_field(line);
  const auto state = take_field(line);
  const auto reason = take_field(line);
  const auto folder = take_field(line);
  if (!id || !state || !reason || !folder) return std::nullopt;
  QueuedJob job{*id, *state, *reason, *folder, {}};
  std::istringstream words{std::string(line)};
  for (std::string word; words >> word;) job.words.push_back(std::move(word));
  return job;
}

/// The value of `--out DIR` or `--out=DIR`; the default of `regatta run` without one.
fs::path out_of(const std::vector<std::string>& words) {
  constexpr std::string_view name = "--out";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(std::string(name) + "=")) return words[i].substr(name.size() + 1);
  }
  return JobOptions{}.out;
}

/// The first word after the script that names a file.
std::optional<fs::path> sweep_of(const QueuedJob& job) {
  std::error_code ignored;
  for (std::size_t i = 1; i < job.words.size(); ++i) {
    const fs::path file = job.folder / job.words[i];
    if (!job.words[i].starts_with('-') && fs::is_regular_file(file, ignored)) return file;
  }
  return std::nullopt;
}

/// As both a user and a job may name it.
fs::path whole(const fs::path& path) {
  std::error_code problem;
  fs::path found = fs::weakly_canonical(path, problem);
  return problem ? fs::absolute(path).lexically_normal() : found;
}

bool works_on(const QueuedJob& job, const fs::path& folder) {
  const fs::path out = whole(job.folder / out_of(job.words));
  if (out != folder.parent_path()) return false;  // before its sweep is read
  const auto of_job = run_folder_of(job);
  return of_job && of_job->filename() == folder.filename();
}

}  // namespace

std::vector<QueuedJob> parse_queue(std::string_view text) {
  std::vector<QueuedJob> jobs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto job = parse_line(text.substr(0, end))) jobs.push_back(std::move(*job));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return jobs;
}

std::optional<fs::path> run_folder_of(const QueuedJob& job) {
  const auto sweep = sweep_of(job);
  if (!sweep) return std::nullopt;
  JobOptions options;
  options.sweep_file = *sweep;
  options.out = job.folder / out_of(job.words);
  try {
    return read_unplanned(options).folder();
  } catch (const InputError&) {  // it is no sweep
    return std::nullopt;
  }
}

std::optional<QueuedJob> queued_job(const fs::path& run_folder) {
  const std::string user = "--user=" + std::to_string(::getuid());
  const auto told = output_of({"squeue", "--noheader", user, std::string("--format=") + format}, {}, answer_seconds);
  if (!told) return std::nullopt;
  std::vector<QueuedJob> jobs = parse_queue(*told);
  const fs::path folder = whole(run_folder);
  const auto found = std::ranges::find_if(jobs, [&](const QueuedJob& job) { return works_on(job, folder); });
  return found == jobs.end() ? std::nullopt : std::optional(std::move(*found));
}

std::string to_text(const QueuedJob& job) {
  if (job.state == waiting) return clean(fmt::format("job {} waits in the queue ({})", job.id, job.reason));
  std::string state = job.state;
  std::ranges::transform(state, state.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return clean(fmt::format("job {} for it is {}", job.id, state));
}

}  // namespace regatta::launcher
