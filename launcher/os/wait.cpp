#include "os/wait.hpp"

#include <poll.h>

#include <algorithm>
#include <ctime>

namespace regatta::launcher {

bool wait_readable(const std::vector<int>& fds, Deadline deadline, const Chores& chores) {
  std::vector<pollfd> watched;
  for (int fd : fds) {
    if (fd >= 0) watched.push_back({fd, POLLIN, 0});
  }
  for (;;) {
    const double sleep_seconds = std::clamp(std::min(chores(), deadline.left_seconds()), 0.0, 1.0);
    const timespec timeout{
        static_cast<time_t>(sleep_seconds),
        static_cast<long>((sleep_seconds - static_cast<double>(static_cast<time_t>(sleep_seconds))) * 1e9)};
    if (::ppoll(watched.data(), watched.size(), &timeout, nullptr) > 0) return true;
    if (deadline.passed()) return false;
  }
}

bool is_readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

}  // namespace regatta::launcher
