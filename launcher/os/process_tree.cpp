#include "os/process_tree.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace regatta::launcher {
namespace {

// The letter after the name in /proc/PID/stat, which may hold brackets of its own; Z if the process is gone.
char state_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= line.size() ? 'Z' : line[name_end + 2];
}

/// The signals that a process has handlers for, as a set of bits (proc(5): SigCgt).
std::uint64_t caught_signals(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  std::string word;
  while (file >> word) {
    std::uint64_t signals = 0;
    if (word == "SigCgt:" && file >> std::hex >> signals) return signals;
  }
  return 0;
}

bool catches(std::uint64_t caught, int signal) { return (caught >> (signal - 1) & 1) != 0; }

}  // namespace

// The children of all threads (proc(5): /proc/PID/task/TID/children, CONFIG_PROC_CHILDREN).
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", parent), gone)) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

bool has_child(pid_t parent) { return !children_of(parent).empty(); }

bool has_living_child(pid_t parent) {
  return std::ranges::any_of(children_of(parent), [](pid_t child) {
    const char state = state_of(child);
    return state != 'Z' && state != 'X';
  });
}

std::vector<pid_t> own_children() { return children_of(::getpid()); }

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found = {root};
  for (std::size_t at = 0; at < found.size(); ++at) {
    const auto below = children_of(found[at]);
    found.insert(found.end(), below.begin(), below.end());
  }
  found.erase(found.begin());
  return found;
}

void ask_for_stacks(pid_t leader) {
  auto all = descendants(leader);
  all.push_back(leader);
  for (const pid_t pid : all) {
    const std::uint64_t caught = caught_signals(pid);
    if (catches(caught, SIGUSR2)) {
      ::kill(pid, SIGUSR2);
    } else if (catches(caught, SIGABRT)) {
      const rlimit no_core{};  // its memory helps nobody, and may fill a disk
      ::prlimit(pid, RLIMIT_CORE, &no_core, nullptr);
      ::kill(pid, SIGABRT);
    }
  }
}

void kill_tree(pid_t leader) {
  const auto below = descendants(leader);
  ::kill(-leader, SIGKILL);
  ::kill(leader, SIGKILL);
  for (pid_t pid : below) ::kill(pid, SIGKILL);
}

void end_own_children(Deadline deadline) {
  constexpr useconds_t look_microseconds = 1000;
  for (auto left = own_children(); !left.empty() && !deadline.passed(); left = own_children()) {
    std::ranges::for_each(left, kill_tree);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    ::usleep(look_microseconds);
  }
}

bool group_lives(pid_t leader) { return ::kill(-leader, 0) == 0; }

}  // namespace regatta::launcher
