#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/judging/judging.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::analysis {
namespace {

struct Mean {
  double value = 0;
  double relative_error = 0;  ///< standard error / value
};

Mean mean_of(std::span<const stats::SliceValue> slices) {
  std::vector<double> values;
  for (const auto& slice : slices) values.push_back(slice.seconds / slice.work);
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n - 1) / n) / mean};
}

}  // namespace

CloneCheck clone_check(TrialIndex trial, BlockIndex block, const stats::Judgement& judgement) {
  CloneCheck check;
  check.trial = trial;
  check.block = block;
  check.ratio = std::exp(judgement.estimate);
  if (std::isfinite(judgement.low) && std::isfinite(judgement.high) && judgement.low <= judgement.high) {
    check.low = std::exp(judgement.low);
    check.high = std::exp(judgement.high);
  }
  check.squares = static_cast<std::int64_t>(judgement.squares);
  check.verdict = judgement.verdict;
  return check;
}

std::optional<CloneCheck::PlainLoops> plain_loops(std::span<const stats::SliceValue> clone,
                                                  std::span<const stats::SliceValue> original) {
  const auto first = original.first(original.size() / 2);
  const auto second = clone.subspan(clone.size() - clone.size() / 2);
  if (first.size() < 2 || second.size() < 2) return std::nullopt;
  const Mean ran_first = mean_of(first);
  const Mean ran_second = mean_of(second);
  const double ratio = ran_second.value / ran_first.value;
  if (!std::isfinite(ratio) || !(ratio > 0)) return std::nullopt;
  const double error = stats::rules::p95_spreads * std::hypot(ran_first.relative_error, ran_second.relative_error);
  return CloneCheck::PlainLoops{ratio, ratio * std::exp(-error), ratio * std::exp(error)};
}

}  // namespace regatta::analysis
