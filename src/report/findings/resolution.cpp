#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "regatta/analysis/disturbances.hpp"
#include "regatta/analysis/labels.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/measure_on.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

constexpr double factor_from = 1;           // a resolution beyond it reads as a factor
constexpr double much_smaller = 0.5;        // a setting with a resolution so much smaller is named
constexpr std::size_t few_comparisons = 4;  // half of fewer comparisons says little
constexpr double worth_lowering = 0.75;     // more time that lowers it by less is not worth a sentence
constexpr std::size_t most_settings = 4;    // each is named, up to so many

/// The resolutions of all comparisons of a run.
struct Resolution {
  double largest = 0;
  double largest_difference = 0;  ///< in the unit of the result, of those that are compared by difference
  std::map<std::string, double> of_settings;
  std::vector<double> of_comparisons;
  std::size_t without = 0;  ///< comparisons that have no interval
  std::size_t one_pair = 0;
  std::size_t not_known = 0;  ///< comparisons that have no verdict
  std::size_t all = 0;
};

Resolution resolution_of(const View& view) {
  Resolution found;
  for (const Contrast& contrast : view.contrasts.contrasts) {
    ++found.all;
    found.not_known += contrast.verdict == stats::Verdict::undecided ? 1 : 0;
    if (!contrast.resolution) {
      ++found.without;
      continue;
    }
    found.one_pair += contrast.pairs.n < 2 ? 1 : 0;
    if (const auto in_unit = analysis::resolution_in_unit(contrast)) {
      found.largest_difference = std::max(found.largest_difference, *in_unit);
      continue;
    }
    found.largest = std::max(found.largest, *contrast.resolution);
    found.of_comparisons.push_back(*contrast.resolution);
    const auto& parameters = view.results.trials[contrast.b.value].parameters;
    double& of_setting = found.of_settings[analysis::label(parameters, view.axes.stratum)];
    of_setting = std::max(of_setting, *contrast.resolution);
  }
  return found;
}

bool names_settings(const Resolution& resolution) {
  if (resolution.of_settings.size() < 2) return false;
  const auto [least, most] = std::ranges::minmax(resolution.of_settings | std::views::values);
  return least <= much_smaller * most;
}

/// The resolution of half of the comparisons, where it is much smaller than that of all.
std::optional<double> typical(const Resolution& resolution) {
  std::vector<double> sorted = resolution.of_comparisons;
  if (sorted.size() < few_comparisons) return std::nullopt;
  std::ranges::sort(sorted);
  const double half = sorted[(sorted.size() - 1) / 2];
  return half <= much_smaller * resolution.largest ? std::optional(half) : std::nullopt;
}

/// "5 % and more at batch 1, 9 % at batch 256", of many settings "5 % and more at batch 256 (the finest of 7 settings),
/// and of 9 % at batch 1 (the coarsest)", where they differ much; "5 % and more in half of 14 comparisons, and of 40 %
/// and more in all" where comparisons do.
std::string told_differences(const Resolution& resolution) {
  const std::string all = difference_text(resolution.largest) + " and more";
  if (!names_settings(resolution)) {
    const auto half = typical(resolution);
    if (!half) return all;
    return fmt::format("{} and more in half of {} comparisons, and of {} in all", difference_text(*half),
                       resolution.of_comparisons.size(), all);
  }
  std::vector<std::pair<std::string, double>> order(resolution.of_settings.begin(), resolution.of_settings.end());
  std::ranges::stable_sort(order, {}, [](const auto& setting) { return setting.second; });
  const auto& [finest, least] = order.front();
  const auto& [coarsest, most] = order.back();
  if (order.size() > most_settings)
    return fmt::format("{} and more at {} (the finest of {} settings), and of {} at {} (the coarsest)",
                       difference_text(least), finest, order.size(), difference_text(most), coarsest);
  std::vector<std::string> parts;
  for (const auto& [setting, each] : order)
    parts.push_back(fmt::format("{}{} at {}", difference_text(each), parts.empty() ? " and more" : "", setting));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Most of its slices were disturbed, and that costs answers: some are missing, or only factors can be told.
bool is_busy(const analysis::Disturbances& seen, const Resolution& resolution) {
  const bool costs_answers = resolution.not_known > 0 || resolution.largest > factor_from;
  return costs_answers && seen.slices > 0 && 2 * seen.disturbed >= seen.slices;
}

std::string busy_text(const analysis::Disturbances& seen) {
  return fmt::format("{} of {} slices were disturbed: on a quieter machine smaller differences can be told.",
                     seen.disturbed, seen.slices);
}

/// " in reward", where differences are of it.
std::string in_result(const View& view) { return view.contrasts.result ? " in " + view.contrasts.result->name : ""; }

/// The resolution that the report would have if these were told as their outlooks say.
double resolution_then(const View& view, const std::vector<const Contrast*>& helped) {
  double largest = 0;
  for (const Contrast& contrast : view.contrasts.contrasts) {
    if (contrast.difference) continue;
    const bool is_helped = std::ranges::find(helped, &contrast) != helped.end();
    largest = std::max(largest, is_helped ? contrast.outlook->target : contrast.resolution.value_or(0));
  }
  return largest;
}

/// "About 12 min more would lower that (the 9 %) to 4 %: regatta run ..."; where what is left to tell does not set the
/// resolution, "... would probably answer what is not known yet: ...".
std::string further_text(const View& view, const Resolution& resolution) {
  const std::vector<const Contrast*> helped = helped_by_time(view.contrasts);
  if (helped.empty()) return "";
  const std::string command = measure_on(view.results, view.contrasts);
  const std::string time = about_time(seconds_needed(helped));
  if (const double then = resolution_then(view, helped); then <= worth_lowering * resolution.largest)
    return fmt::format(
        "About {} more would lower {} to {}: {}", time,
        names_settings(resolution) || typical(resolution) ? "the " + difference_text(resolution.largest) : "that",
        difference_text(then), command);
  if (helped.front()->verdict != stats::Verdict::undecided) return "";
  return fmt::format("About {} more would probably answer what is not known yet: {}", time, command);
}

std::string without_interval(const Resolution& resolution) {
  if (resolution.without == resolution.all)
    return "No comparison has an interval yet, because no pair of processes has finished.";
  return fmt::format("{} of {} comparisons ha{} no interval yet.", resolution.without, resolution.all,
                     resolution.without == 1 ? "s" : "ve");
}

std::string one_pair_text(const Resolution& resolution) {
  if (resolution.one_pair == resolution.all)
    return "Each comparison has one pair of processes so far, and a verdict needs two.";
  return fmt::format("{} of {} comparisons {} one pair of processes so far, and a verdict needs two.",
                     resolution.one_pair, resolution.all, resolution.one_pair == 1 ? "has" : "have");
}

}  // namespace

std::string difference_text(double resolution) {
  const bool is_factor = resolution > factor_from;
  const double value = is_factor ? 1 + resolution : 100 * resolution;
  const std::string digits = value < 9.95 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
  return is_factor ? "a factor of " + digits : digits + " %";
}

std::string resolution_sentence(const View& view) {
  if (view.contrasts.contrasts.empty()) return "";
  const Resolution resolution = resolution_of(view);
  std::vector<std::string> sentences;
  if (resolution.largest > 0)
    sentences.push_back(fmt::format("This run can tell differences of {}.", told_differences(resolution)));
  if (resolution.largest_difference > 0)
    sentences.push_back(fmt::format("This run can tell differences of {:.2g} and more{}.",
                                    resolution.largest_difference, in_result(view)));
  if (resolution.without > 0) sentences.push_back(without_interval(resolution));
  if (resolution.one_pair > 0) sentences.push_back(one_pair_text(resolution));
  const auto seen = analysis::disturbances_of(view.results);
  if (is_busy(seen, resolution)) sentences.push_back(busy_text(seen));
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string further_sentence(const View& view) {
  return view.contrasts.contrasts.empty() ? "" : further_text(view, resolution_of(view));
}

}  // namespace regatta::report
