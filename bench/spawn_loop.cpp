// The yardstick of `command` trials: posix_spawn of /bin/true on two slots, the next when one ends, and nothing else.
// usage: bench_spawn_loop SECONDS; prints {"per_second": r, "tasks": n}
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "regatta/base/clock.hpp"

namespace {

constexpr int slots = 2;
constexpr double warming_seconds = 0.3;

bool spawn_one() {
  char path[] = "/bin/true";
  char* const arguments[] = {path, nullptr};
  char* const variables[] = {nullptr};
  pid_t pid = 0;
  return posix_spawn(&pid, path, nullptr, nullptr, arguments, variables) == 0;
}

/// How many ended before the time was up; -1 if one failed.
long ended_within(double seconds) {
  const regatta::Deadline end = regatta::Deadline::after(seconds);
  long count = 0;
  int status = 0;
  while (!end.passed()) {
    if (wait(&status) < 0 || status != 0 || !spawn_one()) return -1;
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: bench_spawn_loop SECONDS\n", stderr), 2;
  const double seconds = std::atof(argv[1]);
  for (int slot = 0; slot < slots; ++slot) {
    if (!spawn_one()) return std::fputs("bench_spawn_loop: cannot start /bin/true\n", stderr), 1;
  }
  const long warming = ended_within(warming_seconds);
  const double begin = regatta::steady_seconds();
  const long count = ended_within(seconds);
  const double taken = regatta::steady_seconds() - begin;
  if (warming < 0 || count < 0) return std::fputs("bench_spawn_loop: /bin/true failed\n", stderr), 1;
  while (wait(nullptr) > 0) {
  }
  fmt::print("{{\"per_second\": {}, \"tasks\": {}}}\n", static_cast<double>(count) / taken, count);
  return 0;
}
