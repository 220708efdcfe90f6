#include "os/ask_program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "os/child_output.hpp"
#include "os/spawn_process.hpp"
#include "os/wait.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {
namespace {

bool reap(pid_t pid, int& status, int options) {
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid, &status, options);
  } while (ended < 0 && errno == EINTR);
  return ended == pid;
}

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return is_executable_file(program) ? std::optional(program) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (is_executable_file(candidate)) return candidate;
  }
  return std::nullopt;
}

std::optional<std::string> output_of(const std::vector<std::string>& argv,
                                     const std::map<std::string, std::string>& variables, double timeout_seconds) {
  if (argv.empty() || !find_program(argv.front())) return std::nullopt;
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, {});
  ChildSpec spec;
  spec.argv = argv;
  spec.variables = variables;
  spec.stdin_fd = spec.stderr_fd = null.get();
  spec.stdout_fd = writing_end.get();
  const ChildStart start = spawn_process(spec);
  writing_end.reset();
  if (start.pid < 0) return std::nullopt;

  Deadline deadline = Deadline::after(timeout_seconds);
  const Chores none = [] { return 1.0; };
  bool open = true;
  while (open && !deadline.passed()) {
    wait_readable({output.pipe.get()}, deadline, none);
    open = drain(output);
  }
  output.pipe.reset();  // a program that floods us ends here
  int status = 0;
  bool ended = false;
  while (!(ended = reap(start.pid, status, WNOHANG)) && !deadline.passed()) ::usleep(1000);
  if (!ended) {
    ::kill(-start.pid, SIGKILL);
    reap(start.pid, status, 0);
  }
  const bool ended_well = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return ended_well ? std::optional(kept_text(output)) : std::nullopt;
}

}  // namespace regatta::launcher
