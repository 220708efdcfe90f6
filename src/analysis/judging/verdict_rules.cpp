#include "analysis/judging/verdict_rules.hpp"

#include <algorithm>

namespace regatta::analysis {

bool forbid_verdict(const std::vector<std::string>& flags) {
  return std::ranges::any_of(flags, [](const std::string& flag) { return flag == "cores_shared"; });
}

stats::Verdict among_many(stats::Verdict verdict, bool is_discovery) {
  using stats::Verdict;
  const bool is_difference = verdict == Verdict::faster || verdict == Verdict::slower;
  return is_difference && !is_discovery ? Verdict::undecided : verdict;
}

}  // namespace regatta::analysis
