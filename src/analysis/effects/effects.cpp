#include "analysis/effects/effects.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

void find_range(Effect& effect, const Contrasts& all) {
  const auto by_ratio = [&](std::size_t x, std::size_t y) { return all.contrasts[x].ratio < all.contrasts[y].ratio; };
  const auto [least, most] = std::ranges::minmax_element(effect.contrasts, by_ratio);
  effect.least = *least;
  effect.most = *most;
  for (const std::size_t index : effect.contrasts) {
    const Contrast& contrast = all.contrasts[index];
    if (contrast.verdict == stats::Verdict::faster) effect.faster.push_back(index);
    if (contrast.verdict == stats::Verdict::slower) effect.slower.push_back(index);
  }
}

bool has_differences(const Effect& effect, const Contrasts& all) {
  return std::ranges::any_of(effect.contrasts,
                             [&](std::size_t index) { return all.contrasts[index].difference.has_value(); });
}

/// Several models, or ratios far from one another: a mean of them would be the choice of settings.
bool are_too_unlike(const Effect& effect, const results::Results& results, const Contrasts& all) {
  const auto model = [&](std::size_t index) {
    return results.trials[all.contrasts[index].b.value].parameters[sweep::Param::model];
  };
  const bool is_one_model =
      std::ranges::all_of(effect.contrasts, [&](std::size_t index) { return model(index) == model(effect.least); });
  const double spread = all.contrasts[effect.most].ratio / all.contrasts[effect.least].ratio;
  return !is_one_model || !(spread <= stats::rules::alike_ratios);
}

/// Sets the mean of ratios that are alike; none where a setting has no interval, as it is one of all settings.
void find_mean(Effect& effect, const results::Results& results, const Contrasts& all) {
  if (has_differences(effect, all)) return;
  effect.too_unlike = are_too_unlike(effect, results, all);
  if (effect.contrasts.size() < 2 || effect.too_unlike) return;
  std::vector<stats::Estimate> logs;
  for (const std::size_t index : effect.contrasts) {
    const auto estimate = log_estimate(all.contrasts[index]);
    if (!estimate) return;
    logs.push_back(*estimate);
  }
  const auto mean = stats::pooled(logs);
  effect.mean = {std::exp(mean.value), {std::exp(mean.range.low), std::exp(mean.range.high)}};
}

double log_mean(const Effect& effect, const Contrasts& all) {
  double sum = 0;
  for (const std::size_t index : effect.contrasts) sum += std::log(all.contrasts[index].ratio);
  return sum / static_cast<double>(effect.contrasts.size());
}

}  // namespace

Effects effects_of(const Judge& judge, const Contrasts& contrasts) {
  const results::Results& results = judge.results;
  const Axes& axes = judge.axes;
  Effects found;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t index = 0; index < contrasts.contrasts.size(); ++index) {
    const auto name = [&](TrialIndex trial) { return arm_label(results.trials[trial.value].parameters, axes); };
    const std::string a = name(contrasts.contrasts[index].a);
    const std::string b = name(contrasts.contrasts[index].b);
    const auto [entry, is_new] = by_name.try_emplace(a + '\n' + b, found.effects.size());
    if (is_new) {
      Effect& effect = found.effects.emplace_back();
      effect.a = a;
      effect.b = b;
    }
    found.effects[entry->second].contrasts.push_back(index);
  }
  std::ranges::stable_sort(found.effects, [&](const auto& x, const auto& y) {
    return std::abs(log_mean(x, contrasts)) > std::abs(log_mean(y, contrasts));
  });
  for (Effect& effect : found.effects) {
    find_range(effect, contrasts);
    find_mean(effect, results, contrasts);
  }
  found.crossings = crossings_of(results, contrasts, axes, found.effects);
  found.pay_backs = pay_backs_of(judge, contrasts);
  found.interactions = interactions_of(judge);
  return found;
}

}  // namespace regatta::analysis
