// From a sweep to its plan.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Expands, canonicalises, merges, finds skips and forms blocks. Throws InputError (for example when
/// the baseline matches no arm, or more than one, or everything is excluded).
Plan make_plan(const Sweep& sweep);

/// A plan in numbers, counted without making it: ten million points take seconds.
struct PlanSummary {
  /// Blocks that take equally long.
  struct Shape {
    std::size_t arms = 0;  ///< the clone included
    bool has_baseline = false;
    auto operator<=>(const Shape&) const = default;
  };
  std::int64_t points = 0;
  std::int64_t merged = 0;
  std::size_t trials = 0;
  std::map<std::string, std::size_t> skipped;  ///< trials by reason
  std::vector<std::pair<std::string, std::size_t>> no_contrasts;
  std::map<Shape, std::size_t> blocks;
};

/// What make_plan would give. Throws as it does.
PlanSummary summarize(const Sweep& sweep);

}  // namespace regatta::sweep
