#include "analysis/effects/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/effects/crossings.hpp"
#include "analysis/effects/interactions.hpp"
#include "analysis/effects/pay_backs.hpp"
#include "regatta/analysis/wording.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

constexpr std::size_t most_places = 3;  // named in a sentence

std::string place(const results::Results& results, const Axes& axes, const Contrast& contrast) {
  return label(results.trials[contrast.b.value].parameters, axes.stratum);
}

/// "10.7x (mlp-10 batch 32)".
std::string ratio_and_place(const results::Results& results, const Axes& axes, const Contrast& contrast) {
  const std::string where = place(results, axes, contrast);
  return ratio_text(contrast.ratio) + (where.empty() ? "" : " (" + where + ")");
}

/// The settings of an effect, most of them named.
std::string places(const results::Results& results, const Axes& axes, const Contrasts& all,
                   const std::vector<std::size_t>& contrasts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(contrasts.size(), most_places); ++i)
    text += (i > 0 ? ", " : "") + place(results, axes, all.contrasts[contrasts[i]]);
  return contrasts.size() > most_places ? text + fmt::format(" and {} more", contrasts.size() - most_places) : text;
}

void find_range(Effect& effect, const Contrasts& all) {
  const auto by_ratio = [&](std::size_t x, std::size_t y) { return all.contrasts[x].ratio < all.contrasts[y].ratio; };
  const auto [least, most] = std::ranges::minmax_element(effect.contrasts, by_ratio);
  effect.least = *least;
  effect.most = *most;
  for (const std::size_t index : effect.contrasts) {
    const Contrast& contrast = all.contrasts[index];
    if (!contrast.survives) continue;
    if (contrast.verdict == stats::Verdict::faster) effect.faster.push_back(index);
    if (contrast.verdict == stats::Verdict::slower) effect.slower.push_back(index);
  }
}

/// One model, and ratios near one another: a mean of others would be the choice of settings.
bool are_alike(const Effect& effect, const results::Results& results, const Contrasts& all) {
  const auto model = [&](std::size_t index) {
    return results.trials[all.contrasts[index].b.value].parameters[sweep::Param::model];
  };
  const bool is_one_model =
      std::ranges::all_of(effect.contrasts, [&](std::size_t index) { return model(index) == model(effect.least); });
  const double spread = all.contrasts[effect.most].ratio / all.contrasts[effect.least].ratio;
  return is_one_model && spread <= stats::rules::alike_ratios;
}

/// Nothing where a setting has no interval: the sentence names them all.
void find_mean(Effect& effect, const results::Results& results, const Contrasts& all) {
  if (effect.contrasts.size() < 2 || !are_alike(effect, results, all)) return;
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

/// The range first; then a change of sign, unless a crossing says where; else the mean, if there is one.
std::string sentence(const Effect& effect, const results::Results& results, const Contrasts& all, const Axes& axes,
                     bool crosses) {
  const Contrast& least = all.contrasts[effect.least];
  if (effect.contrasts.size() == 1) return least.text;
  std::string text = fmt::format(
      "{} takes {} to {} the {} of {} over {} settings", effect.a, ratio_and_place(results, axes, least),
      ratio_and_place(results, axes, all.contrasts[effect.most]), noun_of(least), effect.b, effect.contrasts.size());
  if (effect.reverses()) {
    if (crosses) return text;
    const sweep::MetricInfo& metric = sweep::info(least.metric);
    return text + fmt::format(": {} at {}, {} at {}", metric.less, places(results, axes, all, effect.faster),
                              metric.more, places(results, axes, all, effect.slower));
  }
  if (!effect.mean) return text;
  return text + fmt::format("; geometric mean {} {}", ratio_text(effect.mean->value),
                            interval_text(effect.mean->range.low, effect.mean->range.high));
}

}  // namespace

Effects effects_of(const Judge& judge, const Contrasts& contrasts) {
  const results::Results& results = judge.results;
  const Axes& axes = judge.axes;
  Effects found;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t index = 0; index < contrasts.contrasts.size(); ++index) {
    const auto name = [&](TrialIndex trial) { return label(results.trials[trial.value].parameters, axes.arm); };
    const std::string a = name(contrasts.contrasts[index].a);
    const std::string b = name(contrasts.contrasts[index].b);
    const auto [entry, is_new] = by_name.try_emplace(a + '\n' + b, found.effects.size());
    if (is_new) found.effects.push_back({a, b, {}, 0, 0, {}, {}, std::nullopt, {}});
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
  for (Effect& effect : found.effects) {
    const bool crosses = std::ranges::any_of(found.crossings, [&](const Crossing& each) {
      return (each.below == effect.a && each.above == effect.b) || (each.below == effect.b && each.above == effect.a);
    });
    effect.text = sentence(effect, results, contrasts, axes, crosses);
  }
  return found;
}

}  // namespace regatta::analysis
