// The contrasts of one pair of arms over all settings of a sweep: what a reader takes for one finding (measuring.md
// R12).
#pragma once

#include <cstdint>

namespace regatta::sweep {

struct Family {
  std::uint32_t number = 0;     ///< counts the families of the sweep from 0
  std::uint32_t contrasts = 0;  ///< contrasts that it has
  bool operator==(const Family&) const = default;
};

}  // namespace regatta::sweep
