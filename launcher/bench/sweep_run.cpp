#include "bench/sweep_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "os/process_tree.hpp"
#include "os/spawn_process.hpp"
#include "ranks/mpirun_scratch.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/results/store.hpp"

namespace regatta::launcher {
namespace {

SweepPlace write(SweepPlace place, const nlohmann::json& sweep) {
  std::filesystem::create_directories(place.folder);
  std::ofstream(place.sweep_file()) << sweep.dump();
  return place;
}

nlohmann::json one_step() { return {{"slices", 1}, {"steps", 1}}; }

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

SweepPlace noops(const std::filesystem::path& folder, const std::string& name, std::size_t trials) {
  return write(
      {folder, name},
      {{"regatta", 1}, {"name", name}, {"axes", {{"model", {"noop"}}}}, {"repeats", trials}, {"measure", one_step()}});
}

SweepPlace programs(const std::filesystem::path& folder, const std::string& name, const std::vector<std::string>& argv,
                    std::size_t trials) {
  return write({folder, name}, {{"regatta", 1},
                                {"name", name},
                                {"axes", {{"engine", {"command"}}, {"command", {"program"}}}},
                                {"commands", {{"program", {{"argv", argv}}}}},
                                {"repeats", trials},
                                {"measure", one_step()}});
}

std::uint64_t sample_bytes(const SweepPlace& place) {
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(results::samples_file(place.store()), missing);
  return missing ? 0 : bytes;
}

SweepRun::SweepRun(const StopSignals& signals, const SweepPlace& place, int ranks,
                   const std::vector<std::string>& options)
    : signals_(signals), place_(place) {
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const UniqueFd words(::open((place.folder / "words").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ChildSpec spec;
  spec.argv = {executable_folder() / "regatta",
               "run",
               place.sweep_file(),
               "--out",
               place.folder,
               "--ranks",
               std::to_string(ranks)};
  spec.argv.insert(spec.argv.end(), options.begin(), options.end());
  spec.stdin_fd = null.get();
  spec.stdout_fd = spec.stderr_fd = words.get();
  start_wall_seconds_ = wall_seconds();
  start_seconds_ = steady_seconds();
  const ChildStart start = spawn_process(spec);
  if (start.pid < 0) throw InternalError(errno_text("cannot start '" + spec.argv.front() + "'", start.error_number));
  pid_ = start.pid;
}

SweepRun::~SweepRun() { kill(); }

void SweepRun::kill() {
  if (status_) return;
  // The ranks of a killed launcher would see to that, too, but later.
  const std::vector<pid_t> all = descendants(pid_);
  kill_tree(pid_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
  constexpr double end_seconds = 10;
  for (Deadline deadline = Deadline::after(end_seconds); !deadline.passed();) {
    if (std::ranges::none_of(all, [](pid_t pid) { return ::kill(pid, 0) == 0; })) break;
    ::usleep(1000);
  }
  sweep_scratch(place_.store());
}

bool SweepRun::has_ended() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

void SweepRun::finish() {
  wait_until([] { return false; });
  if (WIFEXITED(*status_) && WEXITSTATUS(*status_) == 0) return;
  throw InternalError(
      fmt::format("a run of {} ended with {} (the figure would be one of nothing); see what `regatta doctor` says. It "
                  "said:\n{}",
                  place_.name, WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_), last_words()));
}

void SweepRun::throw_slow() const {
  throw InternalError(
      fmt::format("a run of {} takes more than {} minutes; see what `regatta doctor` says. It said:\n{}", place_.name,
                  patience_seconds / 60, last_words()));
}

std::string SweepRun::last_words() const {
  constexpr std::size_t most = 2000;
  const std::string words = text_of(place_.folder / "words");
  return words.substr(words.size() - std::min(words.size(), most));
}

std::vector<pid_t> SweepRun::processes(const std::string& name) const {
  std::vector<pid_t> found;
  for (const pid_t pid : descendants(pid_)) {
    if (text_of(fmt::format("/proc/{}/comm", pid)) == name + '\n') found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> SweepRun::ranks() const {
  std::vector<pid_t> found;
  for (const pid_t pid : processes("regatta")) {
    const std::string arguments = text_of(fmt::format("/proc/{}/cmdline", pid));
    if (arguments.find(std::string("\0--child", 8)) != std::string::npos) found.push_back(pid);
  }
  return found;
}

}  // namespace regatta::launcher
