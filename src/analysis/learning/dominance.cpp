#include <algorithm>
#include <cmath>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/scores.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::analysis {
namespace {

constexpr std::size_t most_rows = 300;   // each is compared with each
constexpr double as_good_within = 0.05;  // seconds and memory: runs did not take turns
constexpr std::size_t fewest_paired = stats::rules::fewest_units;

struct Shown {
  bool better = false;
  bool as_good = false;  ///< not worse by what matters
};

/// Two-sided, for a difference of which more is better.
Shown shown_by(const stats::Range& gain, double margin) { return {gain.low > margin, gain.low > -margin}; }

Shown quality(const Ranked& a, const Ranked& b, const sweep::Objective& objective) {
  const Paired both = paired(a.validation, b.validation, stats::rules::alpha);
  if (both.pairs < fewest_paired) return {};
  const stats::Range& range = both.difference.range;
  return shown_by(objective.maximizes ? range : stats::Range{.low = -range.high, .high = -range.low}, objective.margin);
}

search::Figure logs_of(search::Figure figure) {
  for (auto& each : figure.by_seed) each.value = std::log(each.value);
  return figure;
}

Shown seconds(const Ranked& a, const Ranked& b) {
  const Paired both = paired(logs_of(b.train_seconds), logs_of(a.train_seconds), stats::rules::alpha);
  if (both.pairs < fewest_paired) return {};
  return shown_by(both.difference.range, std::log1p(as_good_within));
}

Shown memory(const Ranked& a, const Ranked& b) {
  if (!a.peak_bytes || !b.peak_bytes) return {false, true};  // not measured: decides nothing
  const double gain = std::log(*b.peak_bytes / *a.peak_bytes);
  return shown_by({gain, gain}, std::log1p(as_good_within));
}

bool dominates(const Ranked& a, const Ranked& b, const sweep::Objective& objective) {
  const Shown all[] = {quality(a, b, objective), seconds(a, b), memory(a, b)};
  return std::ranges::all_of(all, &Shown::as_good) && std::ranges::any_of(all, &Shown::better);
}

}  // namespace

void tell_dominated(Learning& learning) {
  auto& rows = learning.ranking;
  const std::size_t compared = std::min(rows.size(), most_rows);
  for (std::size_t i = 0; i < compared; ++i) {
    for (std::size_t k = 0; k < compared && !rows[i].dominated_by; ++k) {
      if (k != i && dominates(rows[k], rows[i], learning.objective)) rows[i].dominated_by = rows[k].trial;
    }
  }
}

}  // namespace regatta::analysis
