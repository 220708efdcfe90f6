#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "native.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"

namespace regatta::worker {
namespace {

constexpr std::string_view line =
    "regatta: error: a data file was cut short while it was read. Do not change files during a run: write a new file "
    "beside the old one, then rename it\n";

// Only what a signal handler may call. Several threads may come upon it: one tells.
void tell_and_end(int) {
  static std::atomic_flag is_told;
  while (is_told.test_and_set()) ::pause();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(exit_code::bad_input);
}

}  // namespace

void end_where_a_file_was_cut() {
  struct sigaction action {};
  action.sa_handler = tell_and_end;
  if (::sigaction(SIGBUS, &action, nullptr) != 0) throw InternalError(errno_text("sigaction", errno));
}

}  // namespace regatta::worker
