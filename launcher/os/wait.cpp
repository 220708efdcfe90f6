#include "os/wait.hpp"

#include <poll.h>

#include <algorithm>
#include <ctime>

namespace regatta::launcher {
namespace {

constexpr double stop_seconds = 1;  // no busy machine lets a process wait so long for its turn

}  // namespace

bool wait_readable(const std::vector<int>& fds, Deadline& deadline, const Chores& chores) {
  std::vector<pollfd> watched;
  for (int fd : fds) {
    if (fd >= 0) watched.push_back({fd, POLLIN, 0});
  }
  for (;;) {
    const double start = steady_seconds();
    const double sleep_seconds = std::clamp(std::min(chores(), deadline.left_seconds()), 0.0, 1.0);
    const timespec timeout{
        static_cast<time_t>(sleep_seconds),
        static_cast<long>((sleep_seconds - static_cast<double>(static_cast<time_t>(sleep_seconds))) * 1e9)};
    const bool is_ready = ::ppoll(watched.data(), watched.size(), &timeout, nullptr) > 0;
    const double late_seconds = steady_seconds() - start - sleep_seconds;
    if (late_seconds > stop_seconds) deadline.at_seconds += late_seconds;
    if (is_ready) return true;
    if (deadline.passed()) return false;
  }
}

bool is_readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

}  // namespace regatta::launcher
