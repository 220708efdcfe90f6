#include "analysis/judging/verdict_rules.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::analysis {

bool forbid_verdict(const std::vector<std::string>& flags) {
  return std::ranges::any_of(flags,
                             [](const std::string& flag) { return flag == "cores_shared" || flag == "all disturbed"; });
}

bool survives(const Difference& difference, bool is_discovery, const stats::CloneChecks& identical) {
  using stats::Verdict;
  if (difference.verdict != Verdict::faster && difference.verdict != Verdict::slower) return true;
  return is_discovery && !stats::doubted(std::log(difference.ratio), identical, difference.delta);
}

}  // namespace regatta::analysis
