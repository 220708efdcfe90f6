#include "report/findings/resolution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "regatta/analysis/disturbances.hpp"
#include "regatta/analysis/labels.hpp"
#include "report/findings/measure_on.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

constexpr double factor_from = 1;         // a resolution beyond it reads as a factor
constexpr double much_smaller = 0.5;      // settings whose resolution is so much smaller are named
constexpr std::size_t most_settings = 4;  // named

/// What all of a run can tell.
struct Resolution {
  double largest = 0;
  std::map<std::string, double> of_settings;
  std::size_t without = 0;  ///< comparisons that have no interval
  std::size_t one_pair = 0;
  std::size_t all = 0;
};

Resolution resolution_of(const View& view) {
  Resolution found;
  for (const Contrast& contrast : view.contrasts.contrasts) {
    ++found.all;
    if (!contrast.resolution) {
      ++found.without;
      continue;
    }
    found.one_pair += contrast.pairs.n < 2 ? 1 : 0;
    found.largest = std::max(found.largest, *contrast.resolution);
    const auto& parameters = view.results.trials[contrast.b.value].parameters;
    double& of_setting = found.of_settings[analysis::label(parameters, view.axes.stratum)];
    of_setting = std::max(of_setting, *contrast.resolution);
  }
  return found;
}

/// " (batch 1: 5 %, batch 256: 9 %)", where settings differ much.
std::string settings_text(const Resolution& resolution) {
  const auto by_size = [](const auto& x, const auto& y) { return x.second < y.second; };
  if (resolution.of_settings.size() < 2) return "";
  const auto least = std::ranges::min_element(resolution.of_settings, by_size);
  if (least->second > much_smaller * resolution.largest) return "";
  std::vector<std::pair<std::string, double>> order(resolution.of_settings.begin(), resolution.of_settings.end());
  std::ranges::stable_sort(order, by_size);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_shown = order.size() <= most_settings || i + 1 == order.size() || i + 1 < most_settings;
    if (is_shown) parts.push_back(fmt::format("{}: {}", order[i].first, difference_text(order[i].second)));
  }
  return fmt::format(" ({})", fmt::join(parts, ", "));
}

/// "37 of 45 slices were interrupted by other programs"; empty where fewer than half were.
std::string busy_text(const View& view) {
  const auto seen = analysis::disturbances_of(view.results);
  if (2 * seen.disturbed < seen.slices || seen.slices == 0) return "";
  return fmt::format("{} of {} slices were interrupted by other programs", seen.disturbed, seen.slices);
}

/// What more time tells: the smallest target of what is left to tell, and the time for all of it.
struct Further {
  double target = 0;
  double seconds = 0;
};

std::optional<Further> further_of(const View& view) {
  std::map<BlockIndex, double> blocks;
  Further further;
  for (const Contrast& contrast : view.contrasts.contrasts) {
    if (!contrast.outlook || contrast.outlook->more_pairs == 0) continue;
    double& seconds = blocks[contrast.block];
    seconds = std::max(seconds, contrast.outlook->seconds);
    further.target = std::max(further.target, contrast.outlook->target);
  }
  for (const auto& [block, seconds] : blocks) further.seconds += seconds;
  return blocks.empty() ? std::nullopt : std::optional(further);
}

std::string without_interval(const Resolution& resolution) {
  if (resolution.without == resolution.all)
    return "No comparison has an interval yet: the time was up before a pair of processes had finished.";
  return fmt::format("{} of {} comparisons ha{} no interval yet.", resolution.without, resolution.all,
                     resolution.without == 1 ? "s" : "ve");
}

}  // namespace

std::string difference_text(double resolution) {
  if (resolution > factor_from) return fmt::format("a factor of {:.2g}", 1 + resolution);
  return fmt::format("{:.2g} %", 100 * resolution);
}

std::string resolution_sentence(const View& view) {
  if (view.contrasts.contrasts.empty()) return "";
  const Resolution resolution = resolution_of(view);
  std::vector<std::string> sentences;
  if (resolution.largest > 0)
    sentences.push_back(fmt::format("This run can tell differences of {} and more{}.",
                                    difference_text(resolution.largest), settings_text(resolution)));
  if (resolution.without > 0) sentences.push_back(without_interval(resolution));
  if (resolution.one_pair > 0)
    sentences.push_back(fmt::format("{} rest{} on one pair of processes, and a verdict needs two.",
                                    resolution.one_pair == resolution.all ? "Every comparison"
                                    : resolution.one_pair == 1            ? "One comparison"
                                                               : fmt::format("{} comparisons", resolution.one_pair),
                                    resolution.one_pair == 1 || resolution.one_pair == resolution.all ? "s" : ""));
  if (const std::string busy = busy_text(view); !busy.empty()) sentences.push_back(busy + ".");
  if (const auto further = further_of(view))
    sentences.push_back(fmt::format("About {} more would tell {}: {}", about_time(further->seconds),
                                    difference_text(further->target), measure_on(view.results, view.contrasts)));
  return fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace regatta::report
