#include "os/drain_signal.hpp"

#include <csignal>
#include <initializer_list>

namespace regatta::launcher {
namespace {

// A signal handler can reach nothing but an object of static storage.
volatile std::sig_atomic_t drain_seen = 0;
volatile std::sig_atomic_t termination_seen = 0;

void on_signal(int signal) {
  if (signal == SIGTERM) termination_seen = 1;
  drain_seen = 1;
}

}  // namespace

void watch_for_drain() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: waits end and look
  for (const int signal : {SIGUSR1, SIGTERM}) sigaction(signal, &action, nullptr);
}

bool drain_requested() { return drain_seen != 0; }

bool termination_requested() { return termination_seen != 0; }

}  // namespace regatta::launcher
