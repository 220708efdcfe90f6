// How much of all there is a run of this program tries: seconds, or everything with REGATTA_WHOLE=1.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "states.hpp"

namespace regatta::crashes {

inline bool is_whole() {
  const char* text = std::getenv("REGATTA_WHOLE");
  return text != nullptr && std::string(text) == "1";
}

inline std::uint64_t chosen_seed() {
  const char* text = std::getenv("REGATTA_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

inline Effort chosen_effort() { return is_whole() ? Effort{10, 400, 1} : Effort{5, 8, 2}; }

inline void print(const std::string& what, const Count& count) {
  std::cout << what << ": " << count.operations << " operations, " << count.points << " points (all states of "
            << count.whole_points << "), " << count.built << " states built, " << count.resumed
            << " that differ resumed, 0 lost (seed " << chosen_seed() << ")\n";
}

}  // namespace regatta::crashes
