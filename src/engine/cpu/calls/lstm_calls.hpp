// Functions that the passes of a recurrent layer share: the order of its positions, and the layout of its scratch.
#pragma once

#include "engine/cpu/calls/call.hpp"

namespace regatta::engine::cpu {

/// Floats between rows of scratch: a few more than the row has, or rows of 2^n floats would share their cache sets.
inline std::int64_t spaced(std::int64_t columns) { return round_up(columns, 16) + 16; }

/// The position that is computed `step`-th.
inline std::int64_t position_of(const LstmShape& s, std::int64_t step) {
  return s.reverse ? s.length - 1 - step : step;
}

/// Samples are independent of each other, and each thread reads the recurrent kernel at every position: as few parts
/// as there are threads.
inline void split_samples(const Target& target, Call& call, const LstmShape& s) {
  const double work = 8.0 * static_cast<double>(s.length * s.units) * static_cast<double>(s.units);
  split(target, call, s.batch, work);
  if (call.notes[kGrain] > 0) call.notes[kGrain] = divide_up(s.batch, target.threads);
}

// The passes, forward and backward, by their files.
std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const Lstm& op);
BoundCalls bind_lstm(const Target& target, const Lstm& op, const Memory& memory);
std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const LstmGradient& op);
BoundCalls bind_lstm(const Target& target, const LstmGradient& op, const Memory& memory);
std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const LstmRecurrentGradient& op);
BoundCalls bind_lstm(const Target& target, const LstmRecurrentGradient& op, const Memory& memory);
BoundCalls bind_lstm(const Target& target, const LstmLast& op, const Memory& memory);

}  // namespace regatta::engine::cpu
