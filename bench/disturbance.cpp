// The cost of a slice's disturbance record, and its values on this machine while nothing is done to it.
#include "measuring/disturbance.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "host/topology.hpp"
#include "regatta/base/clock.hpp"

namespace {

using namespace regatta;
using namespace regatta::launcher;

constexpr int slices = 101;
constexpr double slice_seconds = 0.02;

struct Worker {
  pid_t pid;
  int link;
};

// For each byte it receives: computes on one thread while the others sleep, and sends a byte back.
[[noreturn]] void serve(int link, int cpu, int threads, int awake) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ::sched_setaffinity(0, sizeof one, &one);
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back([=] {
      for (;;) ::usleep(i < awake ? 5'000 : 100'000'000);
    });
  }
  char byte = 0;
  while (::read(link, &byte, 1) == 1) {
    for (const Deadline end = Deadline::after(slice_seconds); !end.passed();) continue;
    if (::write(link, &byte, 1) != 1) break;
  }
  ::_exit(0);
}

Worker start(int cpu, int threads, int awake) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::exit(1);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    serve(ends[1], cpu, threads, awake);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

struct Quantiles {
  double median;
  double p95;
};

Quantiles quantiles(std::vector<double> values) {
  std::ranges::sort(values);
  return {values[values.size() / 2], values[values.size() * 95 / 100]};
}

void measure(int cpu, int threads, int awake) {
  const Worker worker = start(cpu, threads, awake);
  DisturbanceWatch watch(worker.pid, {cpu});
  std::vector<double> begin_seconds, end_seconds, canary, wait_seconds;
  std::vector<std::string> flagged;
  for (int i = 0; i < slices; ++i) {
    char byte = 0;
    double before = steady_seconds();
    watch.begin();
    begin_seconds.push_back(steady_seconds() - before);
    if (::write(worker.link, &byte, 1) != 1 || ::read(worker.link, &byte, 1) != 1) std::exit(1);
    before = steady_seconds();
    const auto seen = watch.end();
    end_seconds.push_back(steady_seconds() - before);
    if (!seen) continue;
    canary.push_back(seen->canary_seconds.value_or(0));
    wait_seconds.push_back(seen->runqueue_wait_seconds.value_or(-1));
    if (const std::uint8_t flags = flags_of(*seen, slice_seconds)) flagged.push_back(stats::disturbance_text(flags));
  }
  ::kill(worker.pid, SIGKILL);
  ::waitpid(worker.pid, nullptr, 0);
  ::close(worker.link);
  const auto print = [](Quantiles q) { return fmt::format("{:7.1f} {:7.1f}", q.median * 1e6, q.p95 * 1e6); };
  fmt::print("{:7} {:6}   {}   {}   {}   {}   {:3}  {}\n", threads, awake, print(quantiles(begin_seconds)),
             print(quantiles(end_seconds)), print(quantiles(canary)), print(quantiles(wait_seconds)), flagged.size(),
             flagged.empty() ? "" : flagged.front());
}

}  // namespace

int main() {
  const int cpu = slot_for(read_topology(), 0, 1).cpus.back();
  fmt::print("{} slices of {} ms on core {}; microseconds, median and p95\n", slices, slice_seconds * 1e3, cpu);
  fmt::print("threads  awake     before slice       after slice   canary of that   run-queue wait   flagged\n");
  for (const auto& [threads, awake] : {std::pair{1, 1}, {8, 2}, {64, 8}}) measure(cpu, threads, awake);
}
