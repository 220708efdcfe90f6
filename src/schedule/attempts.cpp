#include <algorithm>
#include <string>

#include "regatta/base/error.hpp"
#include "schedule/schedule.hpp"

namespace regatta::schedule {
namespace {

Cause after(const Cause& cause, std::int64_t deaths) {
  const std::string count = std::to_string(deaths) + (deaths == 1 ? " attempt" : " attempts");
  return {cause.kind, cause.message + " (" + count + ")", cause.on_device};
}

bool is_dropped(const ArmDeaths& known, ArmIndex arm) {
  return std::any_of(known.dropped.begin(), known.dropped.end(),
                     [arm](const auto& entry) { return entry.first == arm; });
}

}  // namespace

bool count_death(Core& core, BlockIndex block, ArmIndex arm, const Cause& cause) {
  const std::uint32_t arms = block_of(core, block).arms;
  ArmDeaths& known = core.deaths[block];
  expect(arm.value < arms && !is_dropped(known, arm),
         "an attempt failed in an arm that the block does not have, or no longer runs");
  const std::int64_t deaths = ++known.deaths[arm];
  known.last.insert_or_assign(arm, cause);
  if (deaths >= core.options.attempts) known.dropped.emplace_back(arm, after(cause, deaths));
  return known.dropped.size() < arms;
}

void drop_arms_of_device(Core& core, BlockIndex block) {
  const auto found = core.deaths.find(block);
  if (found == core.deaths.end()) return;
  ArmDeaths& known = found->second;
  for (const auto& [arm, cause] : known.last) {
    if (cause.on_device && !is_dropped(known, arm)) known.dropped.emplace_back(arm, after(cause, known.deaths[arm]));
  }
}

std::vector<std::pair<ArmIndex, Cause>> dropped_arms(const Core& core, BlockIndex block) {
  const auto found = core.deaths.find(block);
  return found == core.deaths.end() ? std::vector<std::pair<ArmIndex, Cause>>{} : found->second.dropped;
}

}  // namespace regatta::schedule
