#include "os/stop_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "os/wait.hpp"

namespace regatta::launcher {
namespace {

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t signals = stop_signals();
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  fd_ = UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
  const sigset_t signals = stop_signals();
  signalfd_siginfo seen{};
  while (::read(fd_.get(), &seen, sizeof seen) > 0) {  // these signals were heard, and end nobody now
  }
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
}

void StopSignals::sleep(double seconds) const {
  if (wait_readable({fd_.get()}, Deadline::after(seconds), [=] { return seconds; })) throw Stopped();
}

}  // namespace regatta::launcher
