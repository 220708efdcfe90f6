#include "schedule/attempts.hpp"

#include <algorithm>
#include <string>

#include "regatta/base/error.hpp"

namespace regatta::schedule {

bool count_death(Core& core, BlockIndex block, ArmIndex arm, const Cause& cause) {
  const std::uint32_t arms = block_of(core, block).arms;
  ArmDeaths& known = core.deaths[block];
  const auto is_this = [arm](const auto& entry) { return entry.first == arm; };
  expect(arm.value < arms && std::none_of(known.dropped.begin(), known.dropped.end(), is_this),
         "an attempt failed in an arm that the block does not have, or no longer runs");
  const std::int64_t deaths = ++known.deaths[arm];
  if (deaths >= core.options.attempts) {
    const std::string count = std::to_string(deaths) + (deaths == 1 ? " attempt" : " attempts");
    known.dropped.emplace_back(arm, Cause{cause.kind, cause.message + " (" + count + ")"});
  }
  return known.dropped.size() < arms;
}

std::vector<std::pair<ArmIndex, Cause>> dropped_arms(const Core& core, BlockIndex block) {
  const auto found = core.deaths.find(block);
  return found == core.deaths.end() ? std::vector<std::pair<ArmIndex, Cause>>{} : found->second.dropped;
}

}  // namespace regatta::schedule
