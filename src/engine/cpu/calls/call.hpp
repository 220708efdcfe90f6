// Small steps shared by the files that bind and launch kernels.
#pragma once

#include <algorithm>

#include "engine/cpu/calls/calls.hpp"

namespace regatta::engine::cpu {

using Launch = void (*)(const Call& call, std::int64_t begin, std::int64_t end);

template <class Spec>
Call make_call(const Target& target, const Spec& op, const Memory& memory, Launch launch) {
  Call call;
  call.launch = launch;
  call.spec = &op;
  call.context = target.kernels;
  call.operands = memory;
  return call;
}

/// Work that pays for waking another thread: about 20 us of one core.
inline constexpr double kWorthSplitting = 2e6;  ///< operations

/// Splits `units` of `work` operations each, if there are threads and it pays.
inline void split(const Target& target, Call& call, std::int64_t units, double work) {
  call.units = units;
  const bool pays = target.threads > 1 && units > 1 && static_cast<double>(units) * work > kWorthSplitting;
  if (!pays) return;
  const auto worth = static_cast<std::int64_t>(kWorthSplitting / 8 / work) + 1;
  call.notes[kGrain] = std::max<std::int64_t>(1, std::min(worth, units / target.threads));
}

inline constexpr double kElement = 4;         ///< cost of streaming one element, in operations of kWorthSplitting
inline constexpr std::int64_t kChunk = 1024;  ///< elements of a unit of elementwise work

/// Elements [begin, begin + count) of units [begin, end) of `total` elements.
struct Elements {
  std::int64_t begin, count;
};

inline Elements elements(std::int64_t total, std::int64_t begin, std::int64_t end) {
  return {begin * kChunk, std::min(total, end * kChunk) - begin * kChunk};
}

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

/// Floats of b(k, n) in panels.
inline std::int64_t packed_floats(const KernelTable& kernels, std::int64_t k, std::int64_t n) {
  return round_up(n, kernels.panel) * k;
}
inline std::int64_t packed_bytes(const KernelTable& kernels, std::int64_t k, std::int64_t n) {
  return packed_floats(kernels, k, n) * static_cast<std::int64_t>(sizeof(float));
}

/// Units [begin, end) of two kinds: those of the first, then those of the second.
template <class First, class Second>
void run_both(std::int64_t begin, std::int64_t end, std::int64_t first_units, const First& first,
              const Second& second) {
  for (std::int64_t unit = begin; unit < std::min(end, first_units); ++unit) first(unit);
  if (end > first_units) second(std::max(begin, first_units) - first_units, end - first_units);
}

/// c = a^T b where the columns of a (k, m) lie in packed panels, `a_panel` floats apart, from view.a on: read one after
/// the other, they neither lie a page apart nor share their cache sets.
inline void multiply_panels(const KernelTable& kernels, GemmView view, std::int64_t a_panel) {
  const std::int64_t rows = view.m, whole = rows / kernels.panel;
  view.a_row = 1;
  view.a_k = kernels.panel;
  view.m = kernels.panel;
  view.groups = whole;
  view.a_group = a_panel;
  view.c_group = kernels.panel * view.c_row;
  if (whole > 0) kernels.gemm(view);
  if (whole * kernels.panel == rows) return;
  view.m = rows - whole * kernels.panel;
  view.groups = 1;
  view.a += whole * a_panel;
  view.c += whole * view.c_group;
  kernels.gemm(view);
}

}  // namespace regatta::engine::cpu
