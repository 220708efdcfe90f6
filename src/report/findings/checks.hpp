// Whether the figures can be relied on: what was checked, and what the checks said.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

struct Check {
  bool passed = false;
  std::string text;
};

/// Identical code, floor, same work, disturbed slices; empty if the sweep compares nothing.
std::vector<Check> checks_of(const View& view);

}  // namespace regatta::report
