// Sums over an array in 16 lanes, for whichever vector header was included first: in several vectors where one holds
// fewer. So all instruction sets add the same terms in the same order.
#pragma once

#include "engine/cpu/vectors/elementwise_kernel.hpp"

namespace regatta::engine::cpu {
namespace {

constexpr int kLanes = 16;
constexpr int kParts = kLanes / kWidth;

struct Lanes {
  Vector parts[kParts];
};

inline Lanes no_terms() {
  Lanes lanes;
  REGATTA_UNROLL
  for (Vector& part : lanes.parts) part = zero();
  return lanes;
}

/// Calls body(part, i, access) for each vector of the elements: it belongs to that part of the lanes.
template <class Body>
inline void for_lanes(std::int64_t count, const Body& body) {
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    REGATTA_UNROLL
    for (int part = 0; part < kParts; ++part) body(part, i + part * kWidth, WholeAccess{});
  }
  REGATTA_UNROLL
  for (int part = 0; part < kParts; ++part) {
    const std::int64_t i = whole + part * kWidth, left = count - i;
    if (part < kParts - 1 && left >= kWidth) {
      body(part, i, WholeAccess{});
    } else if (left > 0) {
      body(part, i, FirstAccess{left});
    }
  }
}

/// Both halves, then both halves of what is left, until one vector is.
inline Vector folded(Lanes lanes) {
  REGATTA_UNROLL
  for (int apart = kParts / 2; apart > 0; apart /= 2) {
    for (int i = 0; i < apart; ++i) lanes.parts[i] = add(lanes.parts[i], lanes.parts[i + apart]);
  }
  return lanes.parts[0];
}

inline float sum(const Lanes& lanes) { return sum(folded(lanes)); }

inline void sum_each(const Lanes (&lanes)[4], float (&sums)[4]) {
  Vector vectors[4];
  REGATTA_UNROLL
  for (int i = 0; i < 4; ++i) vectors[i] = folded(lanes[i]);
  sum_each(vectors, sums);
}

/// Sum of value(i, access) over the elements.
template <class Value>
inline float sum_over(std::int64_t count, const Value& value) {
  Lanes lanes = no_terms();
  for_lanes(count, [&](int part, std::int64_t i, const auto& access) {
    lanes.parts[part] = add(lanes.parts[part], access.only(value(i, access)));
  });
  return sum(lanes);
}

}  // namespace
}  // namespace regatta::engine::cpu
