// In which order the emulator lets threads run, and what it counts.
#pragma once

#include <cstdint>

namespace regatta::emulator {

/// The next thread among those that could go on: the first or last of the device as far as it gets, or any one.
enum class Order : std::uint8_t { forward, reverse, random };

struct Options {
  Order order = Order::forward;
  std::uint64_t seed = 1;  ///< for Order::random; each launch draws its own order from it
  /// At most so many blocks of a launch live at the same time; in random order up to twice as many.
  int resident_blocks = 2;
};

/// Since the program began.
struct Counts {
  std::uint64_t launches = 0, threads = 0, switches = 0, barriers = 0, warp_operations = 0;
};

const Counts& counts();

}  // namespace regatta::emulator
