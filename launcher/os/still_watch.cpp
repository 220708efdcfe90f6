#include "os/still_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::launcher {
namespace {

constexpr int looks_of_patience = 12;
constexpr double longest_look_seconds = 5;

/// Processor time of all threads of a process; nothing if it is gone.
std::optional<std::int64_t> used_nanoseconds(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return std::nullopt;
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

bool is_debugged(pid_t pid) {
  constexpr std::string_view key = "TracerPid:";
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.find_first_of("123456789", key.size()) != std::string::npos;
  }
  return false;
}

}  // namespace

double WakingTime::since_last_look(double now_seconds) {
  return std::min(now_seconds - std::exchange(last_seconds_, now_seconds), 2 * interval_seconds_);
}

StillWatch::StillWatch(pid_t watched, double patience_seconds, double now_seconds)
    : watched_(watched),
      patience_seconds_(patience_seconds),
      look_seconds_(std::min(patience_seconds / looks_of_patience, longest_look_seconds)),
      waking_(now_seconds, look_seconds_),
      used_nanoseconds_(used_nanoseconds(watched)) {}

bool StillWatch::is_still(double now_seconds) {
  const double passed_seconds = waking_.since_last_look(now_seconds);
  const auto used = used_nanoseconds(watched_);
  const bool is_well = !used || used != std::exchange(used_nanoseconds_, used);
  still_seconds_ = is_well ? 0 : still_seconds_ + passed_seconds;
  if (still_seconds_ < patience_seconds_) return false;
  if (!is_debugged(watched_)) return true;
  still_seconds_ = 0;
  return false;
}

}  // namespace regatta::launcher
