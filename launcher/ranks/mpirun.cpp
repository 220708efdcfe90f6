#include "ranks/mpirun.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "os/launch_environment.hpp"
#include "os/process_tree.hpp"
#include "os/still_watch.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

constexpr double leftovers_timeout_seconds = 5;
constexpr double drain_timeout_seconds = 7;  // the whole launcher is gone after 10
constexpr double kill_timeout_seconds = 9;
constexpr double gone_timeout_seconds = 10;  // last rank's end to mpirun's

constexpr const char* memory_variable = "OMPI_MCA_btl_vader_backing_directory";
constexpr const char* session_variable = "OMPI_MCA_orte_local_tmpdir_base";  // for mpirun's own host

/// Nobody gives mpirun a list of hosts.
bool stays_on_this_host() {
  constexpr std::array lists = {"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE",
                                "OMPI_MCA_orte_default_hostfile"};
  return std::ranges::none_of(lists, [](const char* name) { return std::getenv(name) != nullptr; });
}

/// The shared memory of all ranks fits: else Open MPI falls back on TCP between them, and must be left to.
bool fits_in_memory(const std::filesystem::path& folder, int ranks) {
  constexpr std::uint64_t segment_bytes = std::uint64_t{5} << 20;  // one rank's
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return false;
  return ranks == 1 || info.f_bavail * info.f_frsize > static_cast<std::uint64_t>(ranks) * segment_bytes;
}

[[noreturn]] void become_mpirun(const MpirunSpec& spec, const ScratchFolders& scratch, pid_t parent) {
  ::setpgid(0, 0);  // Ctrl-C is ours to interpret
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  for (const auto& [name, value] : mpirun_variables(scratch, spec.ranks)) ::setenv(name.c_str(), value.c_str(), 0);
  const std::vector<std::string> argv = mpirun_arguments(spec);
  std::vector<char*> pointers;
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  log::error(errno_text("cannot start mpirun (it starts the ranks); install openmpi-bin", errno));
  ::_exit(127);
}

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

// One signal of ours, passed on to the job in the form it understands: the first one asks it to drain.
void pass_on(int signal, pid_t mpirun, bool already_draining) {
  const bool drain = signal == SIGUSR1 || (!already_draining && (signal == SIGINT || signal == SIGTERM));
  if (drain && !already_draining)
    log::info("finishing what runs, and keeping what is complete; Ctrl-C again stops at once");
  ::kill(mpirun, drain ? SIGUSR1 : SIGTERM);
}

/// Open MPI 4.1 waits for ever where a rank was killed while it connected: nothing of the job lives but mpirun.
class RankWatch {
 public:
  explicit RankWatch(pid_t mpirun) : mpirun_(mpirun) {}

  /// How long to wait until the next question. Ranks may come and die within a second.
  timespec pause() const { return watching_ ? timespec{1, 0} : timespec{0, 50'000'000}; }

  /// To be asked after every pause. True once, when there were ranks and none has lived for some seconds.
  bool all_gone() {
    const bool living = has_living_child(mpirun_);
    const bool first = !watching_ && has_child(mpirun_);  // ranks that died unseen are left as dead children
    if (living || first) patience_ = Deadline::after(gone_timeout_seconds);
    watching_ = watching_ || first;
    const bool gone = watching_ && !told_ && patience_.passed();
    told_ = told_ || gone;
    return gone;
  }

 private:
  pid_t mpirun_;
  bool watching_ = false;
  bool told_ = false;
  Deadline patience_{};
};

/// A drain that hangs is ended: the running blocks are measured again.
class DrainWatch {
 public:
  void begin() {
    if (!end_) end_ = End{Deadline::after(drain_timeout_seconds), Deadline::after(kill_timeout_seconds)};
  }

  /// First its ranks here and what it has started on other hosts: an mpirun without them ends by itself, and tells
  /// other hosts. A signal instead would come while it ends the job already, and it would crash.
  void look(pid_t mpirun) {
    if (!end_) return;
    if (end_->of_all.passed())
      kill_tree(mpirun);
    else if (end_->of_ranks.passed())
      std::ranges::for_each(children_of(mpirun), kill_tree);
  }

 private:
  struct End {
    Deadline of_ranks;
    Deadline of_all;
  };
  std::optional<End> end_;
};

/// An mpirun that was stopped sees neither signals nor the ends of ranks.
class StoppedWatch {
 public:
  StoppedWatch(pid_t mpirun, double patience_seconds) : mpirun_(mpirun), patience_seconds_(patience_seconds) {}

  /// Takes the status that waitpid() has told of it.
  void told(int wait_status) {
    is_stopped_ = WIFSTOPPED(wait_status);
    stopped_seconds_ = 0;
  }

  /// To be asked once a second.
  void look() {
    const double passed_seconds = waking_.since_last_look(steady_seconds());
    if (!is_stopped_) return;
    stopped_seconds_ += passed_seconds;
    if (stopped_seconds_ < patience_seconds_) return;
    log::error(fmt::format("mpirun has been stopped for {} s; it is ended, and the job with it", patience_seconds_));
    kill_tree(mpirun_);
    is_stopped_ = false;
  }

 private:
  pid_t mpirun_;
  double patience_seconds_;
  WakingTime waking_{steady_seconds(), 1};
  bool is_stopped_ = false;
  double stopped_seconds_ = 0;
};

int wait_for(pid_t mpirun, const sigset_t& signals, double patience_seconds, bool& interrupted) {
  RankWatch ranks(mpirun);
  DrainWatch drain;
  StoppedWatch stopped(mpirun, patience_seconds);
  for (;;) {
    int status = 0;
    const pid_t changed = ::waitpid(mpirun, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (changed == mpirun && WIFEXITED(status)) return WEXITSTATUS(status);
    if (changed == mpirun && WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    if (changed == mpirun) stopped.told(status);
    stopped.look();
    if (ranks.all_gone()) {
      log::warn("all ranks have ended, and mpirun has not seen it; ending it");
      kill_tree(mpirun);
    }
    const timespec pause = ranks.pause();
    const int signal = ::sigtimedwait(&signals, nullptr, &pause);
    drain.look(mpirun);
    if (signal < 0 || signal == SIGCHLD) continue;
    pass_on(signal, mpirun, interrupted);
    interrupted = true;
    drain.begin();
  }
}

// If mpirun itself was killed, its ranks come to us (we are a sub-reaper) and end by themselves within
// a second; whatever does not is killed.
void clear_leftovers() {
  const Deadline deadline = Deadline::after(leftovers_timeout_seconds);
  const Deadline patience = Deadline::after(leftovers_timeout_seconds / 2);
  for (;;) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const auto left = own_children();
    if (left.empty() || deadline.passed()) return;
    if (patience.passed()) std::ranges::for_each(left, kill_tree);
    ::usleep(10'000);
  }
}

}  // namespace

std::vector<std::string> mpirun_arguments(const MpirunSpec& spec) {
  // Quiet: it tells the user of each signal that we pass on to the ranks.
  std::vector<std::string> argv = {"mpirun",          "--quiet", "-n",  std::to_string(spec.ranks), "--bind-to", "none",
                                   "--oversubscribe", "--stdin", "none"};
  argv.insert(argv.end(), spec.command.begin(), spec.command.end());
  return argv;
}

std::map<std::string, std::string> mpirun_variables(const ScratchFolders& scratch, int ranks) {
  std::map<std::string, std::string> variables = {{outer_variable, outer_environment(environ)},
                                                  {"OMPI_MCA_mpi_yield_when_idle", "1"},
                                                  {memory_variable, scratch.memory.string()}};
  // Open MPI refuses a base for mpirun's host beside one for all hosts.
  if (std::getenv("OMPI_MCA_orte_tmpdir_base") == nullptr)
    variables.emplace(session_variable, scratch.session.string());
  if (stays_on_this_host()) {
    // Looking for fabrics takes 0.2 s of a start, and between the ranks of one host nothing comes of it.
    variables.emplace("OMPI_MCA_pml", "ob1");
    variables.emplace("OMPI_MCA_plm", "isolated");  // else mpirun does not start where there is no ssh: in containers
    // Ranks of one host need no port that others may connect to.
    if (fits_in_memory(scratch.memory, ranks)) variables.emplace("OMPI_MCA_btl", "self,vader");
  }
  if (::geteuid() == 0) {  // containers; Open MPI refuses root unless told twice
    variables.emplace("OMPI_ALLOW_RUN_AS_ROOT", "1");
    variables.emplace("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  return variables;
}

void forget_folders_of_another_host() {
  ::unsetenv(session_variable);  // mpirun tells its ranks a base for all hosts, and MPI_Init refuses both
  const char* folder = std::getenv(memory_variable);
  std::error_code not_there;
  if (folder != nullptr && !std::filesystem::is_directory(folder, not_there)) ::unsetenv(memory_variable);
}

MpirunEnd run_mpirun(const MpirunSpec& spec) {
  const HeldScratch scratch(spec.scratch_owner);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const sigset_t signals = watched_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw InputError(errno_text("cannot start mpirun (process limit reached?); raise `ulimit -u`", errno));
  if (child == 0) become_mpirun(spec, scratch.folders(), parent);
  MpirunEnd end;
  end.exit_code = wait_for(child, signals, spec.patience_seconds, end.interrupted);
  clear_leftovers();
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return end;
}

}  // namespace regatta::launcher
