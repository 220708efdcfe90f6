#include <fmt/format.h>

#include <algorithm>

#include "ranks/ranks.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t most_errors = 1000;  ///< errors that are kept to be recognized
constexpr std::size_t begin_bytes = 100;   ///< shown of an error that was told whole before

std::string beginning(const std::string& error) {
  const std::size_t end = std::min(error.find('\n'), begin_bytes);
  return error.size() <= end ? error : error.substr(0, end) + "...";
}

}  // namespace

std::optional<std::string> FailuresTold::line_for(const protocol::AttemptFailed& failed) {
  const std::size_t attempt = ++attempts_[{failed.block.value, failed.arm.value}];
  const std::string error = fmt::format("{}: {}", sweep::to_string(failed.kind), failed.message);
  if (const auto known = again_.find(error); known != again_.end()) {
    ++known->second;
    return std::nullopt;
  }
  if (again_.size() < most_errors) again_.emplace(error, 0);
  return fmt::format("block {}, attempt {}: {}", failed.block.value, attempt, error);
}

std::vector<std::string> FailuresTold::repeats() {
  std::vector<std::string> lines;
  for (auto& [error, times] : again_) {
    if (times > 0)
      lines.push_back(fmt::format("the same error {} more time{}: {}", times, times == 1 ? "" : "s", beginning(error)));
    times = 0;
  }
  return lines;
}

}  // namespace regatta::launcher
