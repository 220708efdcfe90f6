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

/// "10.7x slower (mlp-10 batch 32)".
std::string with_place(const std::string& words, const results::Results& results, const Axes& axes,
                       const Contrast& contrast) {
  const std::string where = place(results, axes, contrast);
  return words + (where.empty() ? "" : " (" + where + ")");
}

bool is_known(const Contrast& contrast, stats::Verdict verdict) { return contrast.verdict == verdict; }

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
    if (contrast.verdict == stats::Verdict::faster) effect.faster.push_back(index);
    if (contrast.verdict == stats::Verdict::slower) effect.slower.push_back(index);
  }
}

bool has_differences(const Effect& effect, const Contrasts& all) {
  return std::ranges::any_of(effect.contrasts,
                             [&](std::size_t index) { return all.contrasts[index].difference.has_value(); });
}

/// One model, and ratios near one another: a mean of others would be the choice of settings.
bool are_alike(const Effect& effect, const results::Results& results, const Contrasts& all) {
  const auto model = [&](std::size_t index) {
    return results.trials[all.contrasts[index].b.value].parameters[sweep::Param::model];
  };
  const bool is_one_model =
      std::ranges::all_of(effect.contrasts, [&](std::size_t index) { return model(index) == model(effect.least); });
  if (has_differences(effect, all)) return false;
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

/// ", 2 not known yet (1 without an interval)": what the range must not hide.
std::string not_known_text(const Effect& effect, const Contrasts& all) {
  const auto count = [&](auto is_so) {
    return std::ranges::count_if(effect.contrasts, [&](std::size_t index) { return is_so(all.contrasts[index]); });
  };
  const auto undecided = count([](const Contrast& each) { return each.verdict == stats::Verdict::undecided; });
  const auto bare = count([](const Contrast& each) { return !each.low; });
  std::string text;
  if (undecided > 0) text += fmt::format(", {} not known yet", undecided);
  if (bare > 0) text += fmt::format(" ({} without an interval)", bare);
  return text;
}

/// Those with a verdict, the least ratio first.
std::vector<const Contrast*> known_of(const Effect& effect, const Contrasts& all) {
  std::vector<const Contrast*> known;
  for (const std::size_t index : effect.contrasts)
    if (all.contrasts[index].verdict != stats::Verdict::undecided) known.push_back(&all.contrasts[index]);
  std::ranges::stable_sort(known, {}, &Contrast::ratio);
  return known;
}

/// "numpy is 5.00x (batch 512) to 69.4x (batch 1) slower than native graph" where all that is known points one way,
/// else "numpy against native graph: 1.20x faster (batch 512) to 3.00x slower (batch 1)".
std::string range_text(const Effect& effect, const std::vector<const Contrast*>& known, const results::Results& results,
                       const Axes& axes) {
  const Contrast *near = known.front(), *far = known.back();
  const std::string per = in_measure(*near);
  const auto range = [&](auto&& words) {
    const std::string first = with_place(words(*near), results, axes, *near);
    return near == far ? first : first + " to " + with_place(words(*far), results, axes, *far);
  };
  for (const auto verdict : {stats::Verdict::faster, stats::Verdict::slower}) {
    if (near->difference || far->difference) break;  // each has its own word
    if (!is_known(*near, verdict) || !is_known(*far, verdict)) continue;
    if (verdict == stats::Verdict::faster) std::swap(near, far);
    return fmt::format("{} is {} {}{} than {}", effect.a,
                       range([](const Contrast& each) { return times_text(each.ratio); }),
                       verdict_word(verdict, near->metric), per, effect.b);
  }
  return fmt::format("{} against {}{}: {}", effect.a, effect.b, per,
                     range([](const Contrast& each) { return words_of(judged_ratio(each)).figure; }));
}

/// "over 7 settings", "over 6 of 7 settings".
std::string settings_text(std::size_t known, std::size_t all) {
  return known == all ? fmt::format("over {} settings", all) : fmt::format("over {} of {} settings", known, all);
}

/// The range first; then a change of sign, unless a crossing says where; else the mean, if there is one.
std::string sentence(const Effect& effect, const results::Results& results, const Contrasts& all, const Axes& axes,
                     bool crosses) {
  const Contrast& least = all.contrasts[effect.least];
  if (effect.contrasts.size() == 1) return least.text;
  const std::string not_known = not_known_text(effect, all);
  const std::vector<const Contrast*> known = known_of(effect, all);
  if (known.empty())
    return fmt::format("{} against {}{}: not known yet in {} settings", effect.a, effect.b, in_measure(least),
                       effect.contrasts.size());
  const std::string text = fmt::format("{} {}{}", range_text(effect, known, results, axes),
                                       settings_text(known.size(), effect.contrasts.size()), not_known);
  if (effect.reverses()) {
    if (crosses) return text;
    const sweep::MetricInfo& metric = sweep::info(least.metric);
    return text + fmt::format(": {} at {}, {} at {}", metric.less, places(results, axes, all, effect.faster),
                              metric.more, places(results, axes, all, effect.slower));
  }
  if (!effect.mean) {
    const bool is_unlike = !has_differences(effect, all) && !are_alike(effect, results, all);
    return text + (not_known.empty() && is_unlike ? ", too unlike for a mean" : "");
  }
  const stats::Estimate& mean = *effect.mean;
  const std::string of_all = not_known.empty() ? "" : fmt::format(" over all {}", effect.contrasts.size());
  return text + fmt::format("; geometric mean{} {} {}", of_all, directed_text(mean.value, least.metric),
                            directed_interval(mean.value, mean.range.low, mean.range.high, least.metric));
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
