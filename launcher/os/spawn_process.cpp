#include "os/spawn_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "os/launch_environment.hpp"

namespace regatta::launcher {
namespace {

bool sets(std::string_view entry, std::string_view name) {
  return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
}

// Everything the child needs, laid out before vfork: between vfork and exec only system calls are safe.
struct Prepared {
  std::vector<char*> argv;
  std::vector<std::string> environment_text;
  std::vector<char*> environment;
  cpu_set_t cpus{};
  bool set_cpus = false;
  rlimit memory{};
  bool limit_memory = false;
  std::array<int, 4> descriptors{};
  const char* folder = nullptr;
  pid_t parent = 0;
};

/// Ours without what a launch put there, then the child's own. Our entries stay where they are: no program has them
/// copied for it.
void lay_out_environment(Prepared& ready, const std::map<std::string, std::string>& variables) {
  const auto is_given = [&](std::string_view entry) {
    return std::ranges::any_of(variables, [&](const auto& variable) { return sets(entry, variable.first); });
  };
  KeptEnvironment ours = without_launch(environ);
  for (const char* const entry : ours.entries)
    if (!is_given(entry)) ready.environment.push_back(const_cast<char*>(entry));
  std::erase_if(ours.before_launch, is_given);
  ready.environment_text = std::move(ours.before_launch);
  for (const auto& [name, value] : variables) ready.environment_text.push_back(name + "=" + value);
  for (std::string& entry : ready.environment_text) ready.environment.push_back(entry.data());
  ready.environment.push_back(nullptr);
}

Prepared prepare(const ChildSpec& spec) {
  Prepared ready;
  for (const std::string& argument : spec.argv) ready.argv.push_back(const_cast<char*>(argument.c_str()));
  ready.argv.push_back(nullptr);
  lay_out_environment(ready, spec.variables);
  CPU_ZERO(&ready.cpus);
  for (int cpu : spec.cpus) CPU_SET(cpu, &ready.cpus);
  ready.set_cpus = !spec.cpus.empty();
  ready.memory = {spec.memory_bytes, spec.memory_bytes};
  ready.limit_memory = spec.memory_bytes > 0;
  ready.descriptors = {spec.stdin_fd, spec.stdout_fd, spec.stderr_fd, spec.link_fd};
  if (!spec.folder.empty()) ready.folder = spec.folder.c_str();
  ready.parent = ::getpid();
  return ready;
}

// Moves the given descriptors to 0..3; first out of the way, so that none overwrites another.
bool place_descriptors(std::array<int, 4> descriptors) {
  for (int& fd : descriptors) {
    if (fd < 0) continue;
    fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
    if (fd < 0) return false;
  }
  for (int target = 0; target < 4; ++target) {
    if (descriptors[target] >= 0 && ::dup2(descriptors[target], target) < 0) return false;
  }
  return true;
}

bool set_up_child(const Prepared& ready) {
  if (::setpgid(0, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  if (::getppid() != ready.parent) ::_exit(127);  // the parent died before the death signal was armed
  for (int signal : {SIGUSR2, SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);  // we ignore them
  // Slurm signals every process of a step, in whatever group it is: the drain must end no program.
  ::signal(SIGUSR1, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  if (::sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return false;
  if (ready.set_cpus && ::sched_setaffinity(0, sizeof ready.cpus, &ready.cpus) != 0) return false;
  if (ready.limit_memory && ::setrlimit(RLIMIT_DATA, &ready.memory) != 0) return false;
  if (ready.folder != nullptr && ::chdir(ready.folder) != 0) return false;
  return place_descriptors(ready.descriptors);
}

}  // namespace

ChildStart spawn_process(const ChildSpec& spec) {
  const Prepared ready = prepare(spec);
  volatile int child_error = 0;  // written by the child, which shares our memory until it execs
  const pid_t pid = ::vfork();
  if (pid == 0) {
    if (set_up_child(ready)) ::execvpe(ready.argv[0], ready.argv.data(), ready.environment.data());
    child_error = errno;
    ::_exit(127);
  }
  if (pid < 0) return {-1, errno};
  if (child_error != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {  // it has exited: nobody else knows of it
    }
    return {-1, child_error};
  }
  return {pid, 0};
}

}  // namespace regatta::launcher
