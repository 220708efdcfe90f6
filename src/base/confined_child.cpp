#include "regatta/base/confined_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "regatta/base/clock.hpp"

namespace regatta {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

void limit(int resource, std::uint64_t value) {
  const rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

std::uint64_t address_space_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void confine(int link, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (const int ending : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::signal(ending, SIG_DFL);
  ::dup2(link, link_of_child);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
}

void limit_child(const ChildLimits& limits) {
  if (!is_sanitized) limit(RLIMIT_AS, address_space_bytes() + limits.memory_bytes);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.seconds) + 1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, limits.written_bytes);
}

void open_no_more_files() {
  if (!is_sanitized) limit(RLIMIT_NOFILE, 0);
}

int end_of_child(pid_t child, double patience_seconds) {
  const Deadline deadline = Deadline::after(patience_seconds);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (deadline.passed()) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      return 0;
    }
    ::usleep(1000);
  }
  return status;
}

}  // namespace regatta
