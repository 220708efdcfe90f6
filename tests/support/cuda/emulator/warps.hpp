// Lanes that wait for one another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/cuda/emulator/thread.hpp"

namespace regatta::emulator {

/// Lanes of a warp that have come to an operation and wait for the rest of its mask.
struct Gathering {
  WarpOperation operation;
  Where where;
  unsigned arrived = 0;
};

struct Warp {
  Thread* lanes = nullptr;
  int count = 0;          ///< lanes that the block has
  unsigned returned = 0;  ///< lanes whose kernel has ended
  std::vector<Gathering> gatherings;
};

/// The result of a lane's arrival.
struct Arrival {
  unsigned go_on = 0;   ///< lanes that may: all of the mask have come
  std::string failure;  ///< use that CUDA leaves undefined; empty if none
};

/// The lane's operation is Thread::operation. Sets the results of lanes that may go on.
Arrival arrive_in_warp(Warp& warp, const Thread& lane);

/// "sums.cuh:40"
std::string text_of(Where where);

}  // namespace regatta::emulator
