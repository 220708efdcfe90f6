#include "regatta/stats/clones.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace regatta::stats {

double absolute_p95(std::span<const double> log_ratios) {
  if (log_ratios.empty()) return 0;
  std::vector<double> sizes;
  for (const double value : log_ratios) sizes.push_back(std::abs(value));
  std::sort(sizes.begin(), sizes.end());
  const std::size_t rank = (95 * sizes.size() + 99) / 100;  // from 1, rounded up
  return sizes[rank - 1];
}

double noise_floor(std::span<const double> clone_estimates) { return std::expm1(absolute_p95(clone_estimates)); }

CloneChecks clone_checks(std::span<const Judgement> clones) {
  CloneChecks checks;
  for (const Judgement& clone : clones) {
    if (clone.verdict == Verdict::same) {
      ++checks.same;
    } else if (clone.verdict == Verdict::undecided) {
      ++checks.undecided;
    } else {
      ++checks.wrong;
    }
  }
  return checks;
}

std::string clone_checks_text(const CloneChecks& checks) {
  return "identical-code checks: " + std::to_string(checks.same) + " same, " + std::to_string(checks.undecided) +
         " undecided, " + std::to_string(checks.wrong) + " false";
}

bool doubted(const Judgement& judgement, const CloneChecks& checks, const JudgeOptions& options) {
  return checks.wrong > 0 && std::abs(judgement.estimate) < 3 * indifference(options);
}

}  // namespace regatta::stats
