#include "analysis/ranks/rank_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/judging/judging.hpp"
#include "regatta/stats/many_contrasts.hpp"
#include "regatta/sweep/metrics.hpp"

namespace regatta::analysis {
namespace {

struct SharedBlock {
  BlockIndex block;
  std::size_t a = 0;
  std::size_t b = 0;
};

/// One that measured them again where there is one, as its figures have replaced those before.
std::optional<SharedBlock> shared_block(const RankEvidence& evidence, TrialIndex a, TrialIndex b) {
  std::optional<SharedBlock> found;
  for (const ArmPlace& place : evidence.places[a.value]) {
    if (evidence.judge.values[place.block.value].empty()) continue;
    for (const ArmPlace& other : evidence.places[b.value]) {
      if (other.block != place.block) continue;
      if (!found || evidence.judge.results.blocks[place.block.value].measured_again)
        found = SharedBlock{place.block, place.arm, other.arm};
    }
  }
  return found;
}

/// As if each step were so many units of work.
std::vector<stats::SliceValue> per_sample(std::vector<stats::SliceValue> slices, double samples) {
  for (stats::SliceValue& slice : slices) {
    slice.work *= samples;
    for (double* seconds : {&slice.median_step_seconds, &slice.first_quarter, &slice.last_quarter}) *seconds /= samples;
  }
  return slices;
}

stats::Judgement judge_shared(const Judge& judge, const SharedBlock& shared, const stats::JudgeOptions& options) {
  const BlockValues& values = judge.values[shared.block.value];
  const auto& arms = judge.results.blocks[shared.block.value].arms;
  const auto batch = [&](std::size_t arm) {
    return sweep::batch_of(judge.results.trials[arms[arm].value].parameters).value_or(1);
  };
  const bool counts_steps = metric_of(judge.results, judge.results.blocks[shared.block.value], judge.metric()) ==
                            sweep::Metric::time_per_step;
  if (!counts_steps || batch(shared.a) == batch(shared.b))
    return stats::judge({values[shared.a], values[shared.b]}, options);
  return stats::judge({per_sample(values[shared.a], static_cast<double>(batch(shared.a))),
                       per_sample(values[shared.b], static_cast<double>(batch(shared.b)))},
                      options);
}

/// Whether flags forbid a verdict from the slices of this block.
bool forbids(const Judge& judge, const SharedBlock& shared, TrialIndex a) {
  stats::Flags flags = judge.results.blocks[shared.block.value].flags;
  flags.add(slot_flags(judge.results, judge.results.trials[a.value]));
  return forbid_verdict(flags);
}

/// The sweep's own comparison, where that is of time a sample, too.
const Contrast* contrast_of(const RankEvidence& evidence, TrialIndex a, TrialIndex b) {
  const auto found = evidence.contrasts.find({a, b});
  const auto batch = [&](TrialIndex trial) {
    return sweep::batch_of(evidence.judge.results.trials[trial.value].parameters);
  };
  return found != evidence.contrasts.end() && batch(a) == batch(b) ? found->second : nullptr;
}

std::vector<std::vector<ArmPlace>> arm_places(const results::Results& results) {
  std::vector<std::vector<ArmPlace>> places(results.trials.size());
  for (std::uint32_t block = 0; block < results.blocks.size(); ++block) {
    const results::BlockRow& row = results.blocks[block];
    const std::size_t arms = row.arms.size() - (row.has_clone ? 1 : 0);
    for (std::size_t arm = 0; arm < arms; ++arm) places[row.arms[arm].value].push_back({BlockIndex{block}, arm});
  }
  return places;
}

}  // namespace

RankEvidence rank_evidence(const Judge& judge, const Contrasts& contrasts) {
  RankEvidence evidence{judge, {}, arm_places(judge.results)};
  for (const Contrast& contrast : contrasts.contrasts) {
    if (!has_replicates(contrast)) evidence.contrasts.try_emplace({contrast.a, contrast.b}, &contrast);
  }
  return evidence;
}

std::optional<RankPair> judged_pair(const RankEvidence& evidence, TrialIndex a, TrialIndex b) {
  const Judge& judge = evidence.judge;
  if (const Contrast* contrast = contrast_of(evidence, a, b)) {
    const bool counts = !forbid_verdict(contrast->flags) && !contrast->flags.has(stats::Flag::drifting);
    return RankPair{judged_ratio(*contrast), counts, contrast->e_value, true};
  }
  const auto shared = shared_block(evidence, a, b);
  if (!shared) return std::nullopt;
  const stats::JudgeOptions options = judge.options_for(shared->block, shared->a, shared->b);
  const stats::Judgement judgement = judge_shared(judge, *shared, options);
  if (!std::isfinite(judgement.estimate)) return std::nullopt;
  RankPair pair;
  pair.ratio.ratio = std::exp(judgement.estimate);
  const bool is_forbidden = forbids(judge, *shared, a);
  pair.ratio.verdict = is_forbidden ? stats::Verdict::undecided : judgement.verdict;
  pair.ratio.early = !judgement.confirmed;
  pair.interval_counts = !is_forbidden && !judgement.has(stats::Flag::drifting);
  const stats::Range range{judgement.low, judgement.high};
  if (range.finite() && !range.empty()) {
    pair.ratio.low = std::exp(range.low);
    pair.ratio.high = std::exp(range.high);
  }
  pair.e_value = judgement.e_value;
  return pair;
}

void take_back_chance_finds(const std::vector<std::vector<RankPair*>>& families, const Judge& judge) {
  std::vector<RankPair*> pairs;
  std::vector<double> e_values;
  std::vector<std::size_t> numbers;
  for (std::size_t family = 0; family < families.size(); ++family) {
    for (RankPair* pair : families[family]) {
      if (pair->is_contrast) continue;
      pairs.push_back(pair);
      e_values.push_back(pair->e_value);
      numbers.push_back(family);
    }
  }
  const auto discovered = stats::e_benjamini_hochberg(e_values, numbers, judge.options.alpha);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    JudgedRatio& ratio = pairs[i]->ratio;
    ratio.verdict = among_many(ratio.verdict, discovered[i]);
  }
}

}  // namespace regatta::analysis
