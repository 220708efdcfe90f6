// Short ways to write jobs, events and expectations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/schedule/scheduler.hpp"

namespace regatta::schedule::testing {

inline constexpr sweep::DeviceKind cpu = sweep::DeviceKind::cpu;
inline constexpr sweep::DeviceKind cuda = sweep::DeviceKind::cuda;

/// `count` blocks from `first` on that all need the same.
inline std::vector<BlockRequest> jobs(std::uint32_t count, sweep::Demand demand = {}, std::uint32_t arms = 1,
                                      std::uint32_t first = 0) {
  std::vector<BlockRequest> list;
  for (std::uint32_t i = 0; i < count; ++i) list.push_back({{first + i}, demand, arms});
  return list;
}

inline Event joined(std::uint32_t agent, std::int64_t cores = 1, std::vector<sweep::DeviceKind> devices = {cpu}) {
  return AgentJoined{{{agent}, cores, std::move(devices)}};
}
inline Event done(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt = 1) {
  return BlockDone{{agent}, {block}, {attempt}};
}
inline Event died(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt = 1, std::uint32_t arm = 0) {
  return AttemptFailed{{agent}, {block}, {attempt}, {arm}, {sweep::FailureKind::crashed, "killed by signal 11"}};
}

/// One line for each action: "grant 0 1: 4+2 attempt 1 dropped 0", "conclude 4", "refuse 4", "dismiss 0".
inline std::string text(const Action& action) {
  struct Writer {
    static std::string drops(const std::vector<std::pair<ArmIndex, Cause>>& dropped) {
      std::string line;
      for (const auto& [arm, cause] : dropped) line += " dropped " + std::to_string(arm.value);
      return line;
    }
    std::string operator()(const Grant& grant) const {
      std::string line = "grant";
      for (AgentId agent : grant.agents) line += " " + std::to_string(agent.value);
      line += ": " + std::to_string(grant.first.value);
      if (grant.count > 1) line += "+" + std::to_string(grant.count);
      return line + " attempt " + std::to_string(grant.attempt.value) + drops(grant.dropped);
    }
    std::string operator()(const Conclude& action) const {
      return "conclude " + std::to_string(action.block.value) + drops(action.dropped);
    }
    std::string operator()(const Refuse& action) const { return "refuse " + std::to_string(action.block.value); }
    std::string operator()(const Dismiss& action) const { return "dismiss " + std::to_string(action.agent.value); }
  };
  return std::visit(Writer{}, action);
}

inline std::vector<std::string> texts(const std::vector<Action>& actions) {
  std::vector<std::string> lines;
  for (const Action& action : actions) lines.push_back(text(action));
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace regatta::schedule::testing
