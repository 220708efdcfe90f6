// Functions that the three passes of a 1-D convolution share.
//
// Convolutions, channels last, are products over overlapping rows. Position p reads the taps * channels floats from
// input p * stride - pad on, so rows of `a` are stride * channels apart. Taps that fall outside are skipped: positions
// at the edges have shorter sums.
#pragma once

#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/conv1d_ranges.hpp"

namespace regatta::engine::cpu {

/// Operations of one pass.
inline double products(const Conv1dShape& s) {
  return 2.0 * static_cast<double>(s.batch * s.positions) * static_cast<double>(s.taps * s.channels * s.filters);
}

/// Whether `rows` neighbouring rows of an image are better taken together than each with its like in all images.
inline bool worth_a_tile(std::int64_t rows, std::int64_t batch) {
  constexpr std::int64_t kEnough = 12;  // rows that hide the latency of their sums
  return rows >= std::min(kEnough, batch);
}

/// Splits a pass whose units share what they read of b: several to a thread at a time.
inline void split_rows(const Target& target, Call& call, std::int64_t units, double work) {
  constexpr std::int64_t kPieces = 4;  // pieces for each thread, so that a late one costs little
  split(target, call, units, work);
  if (call.notes[kGrain] > 0) call.notes[kGrain] = std::max(call.notes[kGrain], units / (target.threads * kPieces));
}

/// A call that packs, then a call that multiplies.
template <class Spec>
BoundCalls pack_then(const Target& target, const Spec& op, const Memory& memory, Launch pack, Launch run) {
  BoundCalls bound;
  bound.count = 2;
  bound.calls[0] = make_call(target, op, memory, pack);
  bound.calls[1] = make_call(target, op, memory, run);
  return bound;
}

}  // namespace regatta::engine::cpu
