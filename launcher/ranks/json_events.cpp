#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "ranks/ranks.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

bool is_descriptor(const std::string& where) {
  constexpr std::size_t most_digits = 6;
  return !where.empty() && where.size() <= most_digits &&
         std::ranges::all_of(where, [](char c) { return c >= '0' && c <= '9'; });
}

/// A slow reader of a FIFO must not make the measuring wait: what does not fit is lost.
int open_file(const std::string& where) {
  return ::open(where.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
}

}  // namespace

EventStream::EventStream(const std::string& where) {
  if (where == "-") {
    file_ = UniqueFd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
    return;
  }
  file_ = UniqueFd(open_file(place_for_others(where)));
  if (!file_)
    throw InputError(
        errno_text(fmt::format("--json-events-to: cannot open '{}' (progress goes there); name a file that "
                               "can be written, a FIFO that is read, or an open descriptor",
                               where),
                   errno));
}

/// A reader that went away ends no run: its signal is taken back.
void EventStream::write(std::string_view line) {
  if (!file_) return;
  const std::string whole = std::string(line) + '\n';
  sigset_t broken_pipe;
  sigset_t before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  if (::write(file_.get(), whole.data(), whole.size()) < 0 && errno == EPIPE) {
    const timespec at_once{0, 0};
    ::sigtimedwait(&broken_pipe, nullptr, &at_once);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::string place_for_others(const std::string& where) {
  if (!is_descriptor(where)) return where;
  if (::fcntl(std::stoi(where), F_GETFD) < 0)
    throw InputError(
        fmt::format("--json-events-to: descriptor {} is not open (progress goes there); open it in the shell, such as "
                    "{}>events.jsonl",
                    where, where));
  return fmt::format("/proc/{}/fd/{}", ::getpid(), where);
}

}  // namespace regatta::launcher
