// Bits of Sample::flags: what makes the time of a slice likely wrong by a relevant part
// (docs/background/measuring-noise.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace regatta::stats {

enum DisturbanceFlag : std::uint8_t {
  preempted = 1,   ///< its threads waited while others ran on their cores
  throttled = 2,   ///< the CPU quota of its control group was used up
  migrated = 4,    ///< its threads changed cores more often than in its other slices
  stolen = 8,      ///< the hypervisor ran something else on its cores
  clock_off = 16,  ///< the cores' frequency was not that of its other slices
  canary_off = 32  ///< a fixed piece of work right after it took another time than after its other slices
};

struct DisturbanceName {
  DisturbanceFlag flag;
  std::string_view name;
};
inline constexpr std::array<DisturbanceName, 6> disturbance_names = {{{preempted, "preempted"},
                                                                      {throttled, "throttled"},
                                                                      {migrated, "migrated"},
                                                                      {stolen, "stolen"},
                                                                      {clock_off, "clock"},
                                                                      {canary_off, "canary"}}};

/// "preempted,canary"; empty for 0.
inline std::string disturbance_text(std::uint8_t flags) {
  std::string text;
  for (const auto& [flag, name] : disturbance_names) {
    if ((flags & flag) == 0) continue;
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

}  // namespace regatta::stats
