#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "regatta/analysis/labels.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;
using analysis::Effect;
using stats::Verdict;

constexpr std::size_t most_places = 3;  // named in a sentence

const Contrast& contrast_at(const View& view, std::size_t index) { return view.contrasts.contrasts[index]; }

std::string place_of(const View& view, const Contrast& contrast) {
  return analysis::label(view.results.trials[contrast.b.value].parameters, view.axes.stratum);
}

/// "10.7x slower (mlp-10 batch 32)".
std::string with_place(const std::string& words, const View& view, const Contrast& contrast) {
  const std::string where = place_of(view, contrast);
  return words + (where.empty() ? "" : " (" + where + ")");
}

/// The settings of some contrasts, the first ones named.
std::string places_text(const View& view, const std::vector<std::size_t>& contrasts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(contrasts.size(), most_places); ++i)
    text += (i > 0 ? ", " : "") + place_of(view, contrast_at(view, contrasts[i]));
  return contrasts.size() > most_places ? text + fmt::format(" and {} more", contrasts.size() - most_places) : text;
}

/// ", 2 not known yet (1 without an interval)": the contrasts that the range must not hide.
std::string not_known_text(const View& view, const Effect& effect) {
  const auto count = [&](auto is_so) {
    return std::ranges::count_if(effect.contrasts, [&](std::size_t index) { return is_so(contrast_at(view, index)); });
  };
  const auto undecided = count([](const Contrast& each) { return each.verdict == Verdict::undecided; });
  const auto bare = count([](const Contrast& each) { return !each.low; });
  std::string text;
  if (undecided > 0) text += fmt::format(", {} not known yet", undecided);
  if (bare > 0) text += fmt::format(" ({} without an interval)", bare);
  return text;
}

/// The contrasts with a verdict, the least ratio first.
std::vector<const Contrast*> known_of(const View& view, const Effect& effect) {
  std::vector<const Contrast*> known;
  for (const std::size_t index : effect.contrasts)
    if (contrast_at(view, index).verdict != Verdict::undecided) known.push_back(&contrast_at(view, index));
  std::ranges::stable_sort(known, {}, &Contrast::ratio);
  return known;
}

/// "numpy is 5.00x (batch 512) to 69.4x (batch 1) slower than native graph" where all that is known points one way,
/// else "numpy against native graph: 1.20x faster (batch 512) to 3.00x slower (batch 1)".
std::string range_text(const View& view, const Effect& effect, const std::vector<const Contrast*>& known) {
  const Contrast *near = known.front(), *far = known.back();
  const std::string per = in_measure(*near);
  const auto range = [&](auto&& words) {
    const std::string first = with_place(words(*near), view, *near);
    return near == far ? first : first + " to " + with_place(words(*far), view, *far);
  };
  for (const Verdict verdict : {Verdict::faster, Verdict::slower}) {
    if (near->difference || far->difference) break;  // each has its own word
    if (near->verdict != verdict || far->verdict != verdict) continue;
    if (verdict == Verdict::faster) std::swap(near, far);
    return fmt::format("{} is {} {}{} than {}", effect.a,
                       range([](const Contrast& each) { return times_text(each.ratio); }),
                       analysis::verdict_word(verdict, near->metric), per, effect.b);
  }
  return fmt::format("{} against {}{}: {}", effect.a, effect.b, per,
                     range([](const Contrast& each) { return words_of(judged_ratio(each)).figure; }));
}

/// "over 7 settings", "over 6 of 7 settings".
std::string settings_text(std::size_t known, std::size_t all) {
  return known == all ? fmt::format("over {} settings", all) : fmt::format("over {} of {} settings", known, all);
}

/// Whether a crossover says where the faster one of these two arms changes.
bool has_crossing(const View& view, const Effect& effect) {
  return std::ranges::any_of(view.effects.crossings, [&](const analysis::Crossing& each) {
    return (each.below == effect.a && each.above == effect.b) || (each.below == effect.b && each.above == effect.a);
  });
}

/// "; geometric mean over all 7 30.0x slower [28.8, 31.2]"; why there is none where the settings forbid it.
std::string mean_text(const Effect& effect, sweep::Metric metric, bool all_known) {
  if (!effect.mean) return all_known && effect.too_unlike ? ", too unlike for a mean" : "";
  const stats::Estimate& mean = *effect.mean;
  const std::string of_all = all_known ? "" : fmt::format(" over all {}", effect.contrasts.size());
  return fmt::format("; geometric mean{} {} {}", of_all, directed_text(mean.value, metric),
                     directed_interval(mean.value, mean.range.low, mean.range.high, metric));
}

std::string level_text(double level) {
  return level >= 9.95 ? fmt::format("{:.0f}", level) : fmt::format("{:.2g}", level);
}

}  // namespace

std::string effect_sentence(const View& view, const Effect& effect) {
  const Contrast& least = contrast_at(view, effect.least);
  if (effect.contrasts.size() == 1) return contrast_sentence(view.results, view.contrasts, least);
  const std::string not_known = not_known_text(view, effect);
  const std::vector<const Contrast*> known = known_of(view, effect);
  if (known.empty())
    return fmt::format("{} against {}{}: not known yet in {} settings", effect.a, effect.b, in_measure(least),
                       effect.contrasts.size());
  const std::string text = fmt::format("{} {}{}", range_text(view, effect, known),
                                       settings_text(known.size(), effect.contrasts.size()), not_known);
  if (!effect.reverses()) return text + mean_text(effect, least.metric, not_known.empty());
  if (has_crossing(view, effect)) return text;
  const sweep::MetricInfo& metric = sweep::info(least.metric);
  return text + fmt::format(": {} at {}, {} at {}", metric.less, places_text(view, effect.faster), metric.more,
                            places_text(view, effect.slower));
}

std::string crossing_sentence(const analysis::Crossing& crossing) {
  return fmt::format("{} wins below {} {} [{}, {}], {} above{}", crossing.below, sweep::name_of(crossing.axis),
                     level_text(crossing.at.value), level_text(crossing.at.range.low),
                     level_text(crossing.at.range.high), crossing.above,
                     crossing.where.empty() ? "" : " (" + crossing.where + ")");
}

std::string interaction_sentence(const View& view, const analysis::Interaction& found) {
  const sweep::Metric metric = view.contrasts.metric;
  const auto level = [&](std::size_t arm, sweep::Param param) {
    return analysis::label(view.results.trials[found.arms.at(arm).value].parameters, {param});
  };
  const std::string interval = directed_interval(found.ratio, found.low, found.high, metric);
  const bool may_be_alike = found.low && found.high && *found.low <= 1 && *found.high >= 1;
  const std::string at_baseline = level(0, found.other);
  const std::string at_other = level(2, found.other);
  const bool is_better_at_other = found.ratio < 1;
  const std::string change =
      fmt::format("{}'s effect is {}{} better with {} than with {}", level(1, found.factor), times_text(found.ratio),
                  interval.empty() ? "" : " " + interval, is_better_at_other ? at_other : at_baseline,
                  is_better_at_other ? at_baseline : at_other);
  const std::string text = fmt::format("{} against {}: {} with {}, {} with {}; {}", level(1, found.factor),
                                       level(0, found.factor), directed_text(found.ratio_at_baseline, metric),
                                       at_baseline, directed_text(found.ratio_at_other, metric), at_other,
                                       may_be_alike ? "these two may be the same" : change);
  const std::string where = analysis::block_label(view.results.trials[found.arms.front().value].parameters, view.axes);
  return where.empty() ? text : text + " at " + where;
}

}  // namespace regatta::report
