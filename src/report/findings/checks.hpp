// Whether the figures can be relied on: what was checked, and what the checks said.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

struct Check {
  bool passed = false;
  std::string text;
  std::string consequence = {};  ///< what a reader must not believe if it is not passed; empty: another check says it
};

/// Identical code, floor, same work, disturbed slices, and the order where it told; empty if the sweep compares
/// nothing.
std::vector<Check> checks_of(const View& view);

/// What a reader must not believe, check by check; empty if all are passed.
std::vector<std::string> not_to_be_believed(const std::vector<Check>& checks);

/// "Checks not passed: differences below 6 % are not to be believed here"; empty if all are.
std::string not_passed_sentence(const std::vector<Check>& checks);

}  // namespace regatta::report
