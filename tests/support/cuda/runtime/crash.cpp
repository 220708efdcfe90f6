#include "support/cuda/runtime/crash.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "support/cuda/runtime/machine.hpp"

namespace regatta::cuda_fakes {
namespace {

/// Writes where the process was going to end anyway: what is not safe in a handler can only end it otherwise.
void explain(int signal_number, siginfo_t* info, void* /*context*/) {
  Machine& m = machine();
  for (const auto& device : m.devices) {
    if (!device->memory.owns(info->si_addr)) continue;
    std::array<char, 512> text{};
    const std::string why = device->memory.why_not(info->si_addr, 1);
    const std::string who = m.running.empty() ? "the host" : m.running;
    std::snprintf(text.data(), text.size(), "emulated CUDA: %s touched device memory at %p: %s\n", who.c_str(),
                  info->si_addr, why.empty() ? "only kernels and copies may" : why.c_str());
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), std::strlen(text.data()));
    break;
  }
  signal(signal_number, SIG_DFL);  // touched again on return
}

}  // namespace

void explain_crashes() {
  for (const int signal_number : {SIGSEGV, SIGBUS}) {
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = explain;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(signal_number, &action, nullptr);
  }
}

}  // namespace regatta::cuda_fakes
