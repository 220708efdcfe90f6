#include "os/bind_process.hpp"

#include <sched.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>

namespace regatta::launcher {
namespace {

std::set<pid_t> threads_of(pid_t pid) {
  std::set<pid_t> threads;
  std::error_code error;  // it ended: no threads
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error))
    threads.insert(std::stoi(entry.path().filename().string()));
  return threads;
}

bool bind_thread(pid_t thread, const cpu_set_t& set) {
  return ::sched_setaffinity(thread, sizeof set, &set) == 0 || errno == ESRCH;  // it ended meanwhile
}

}  // namespace

bool bind_process(pid_t pid, const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  std::set<pid_t> bound;
  for (;;) {  // until no thread is new: one that was not bound yet may have started another
    const std::set<pid_t> threads = threads_of(pid);
    if (threads == bound) return true;
    for (const pid_t thread : threads) {
      if (!bind_thread(thread, set)) return false;
    }
    bound = threads;
  }
}

}  // namespace regatta::launcher
