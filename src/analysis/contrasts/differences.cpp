#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/contrasts/contrasts.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

std::vector<double> told_by(const Judge& judge, TrialIndex trial) {
  return judge.spec ? told_values(judge.results.trials[trial.value].facts, judge.spec->measure) : std::vector<double>();
}

}  // namespace

std::optional<stats::JudgedDifferences> judge_by_difference(const Judge& judge, BlockIndex block, std::size_t arm) {
  if (!judge.result()) return std::nullopt;
  const auto& arms = judge.results.blocks[block.value].arms;
  const std::vector<double> a = told_by(judge, arms[arm]), b = told_by(judge, arms.front());
  const stats::JudgeOptions options = judge.options_for(block, arm, 0);
  if (a.empty() || b.empty() || !stats::needs_differences(a, b, options)) return std::nullopt;
  return stats::judge_differences(a, b, options, true);
}

std::optional<stats::JudgedDifferences> judge_by_difference(const Judge& judge, const std::vector<Contrast>& members,
                                                            const stats::JudgeOptions& options) {
  if (std::ranges::none_of(members, [](const Contrast& member) { return member.difference.has_value(); }))
    return std::nullopt;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> a, b;
  for (const Contrast& member : members) {
    a.push_back(stats::mean(told_by(judge, member.a)).value_or(unknown));
    b.push_back(stats::mean(told_by(judge, member.b)).value_or(unknown));
  }
  return stats::judge_differences(a, b, options, false);
}

void tell_difference(Contrast& contrast, const stats::JudgedDifferences& judged) {
  const auto in_unit = [&](double value) { return value * judged.unit; };
  Difference difference{.value = in_unit(judged.judgement.estimate), .unit = judged.unit};
  if (std::isfinite(judged.judgement.low) && std::isfinite(judged.judgement.high)) {
    difference.low = in_unit(judged.judgement.low);
    difference.high = in_unit(judged.judgement.high);
  }
  difference.margin = judged.options.absolute_margin.value_or(in_unit(stats::indifference(judged.options)));
  contrast.difference = difference;
  contrast.margin = judged.options.margin;
  contrast.fewest_squares = contrast.most_squares = 1;
}

}  // namespace regatta::analysis
