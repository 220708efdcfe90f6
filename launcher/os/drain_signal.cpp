#include "os/drain_signal.hpp"

#include <unistd.h>

#include <csignal>
#include <initializer_list>
#include <string_view>

#include "regatta/base/exit_code.hpp"

namespace regatta::launcher {
namespace {

constexpr unsigned drain_seconds = 3;  // the whole launcher is gone after 10
constexpr unsigned termination_seconds = 1;

// A signal handler can reach nothing but an object of static storage.
volatile std::sig_atomic_t drain_seen = 0;
volatile std::sig_atomic_t termination_seen = 0;
volatile std::sig_atomic_t leaves = 0;

void leave_soon() { ::alarm(termination_seen != 0 ? termination_seconds : drain_seconds); }

void on_signal(int signal) {
  if (signal == SIGTERM) termination_seen = 1;
  drain_seen = 1;
  if (leaves != 0) leave_soon();
}

void on_alarm(int /*signal*/) {
  if (leaves == 0) return;
  constexpr std::string_view text =
      "regatta: asked to stop while MPI waits for a rank that does not answer (it has died?); run the same command "
      "again to go on\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(exit_code::work_left);
}

}  // namespace

void watch_for_drain() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: waits end and look
  for (const int signal : {SIGUSR1, SIGTERM}) sigaction(signal, &action, nullptr);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
}

void hold_drain_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool drain_requested() { return drain_seen != 0; }

bool termination_requested() { return termination_seen != 0; }

LeaveAtDrain::LeaveAtDrain() {
  leaves = 1;
  if (drain_requested()) leave_soon();
}

LeaveAtDrain::~LeaveAtDrain() {
  leaves = 0;
  if (drain_requested()) ::alarm(0);
}

}  // namespace regatta::launcher
