#include "regatta/analysis/growth.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "analysis/judging/session_units.hpp"
#include "regatta/analysis/roofline.hpp"
#include "regatta/analysis/values.hpp"
#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

/// The numeric parameter along which most values were measured; at least two.
std::optional<Param> numeric_axis(const results::Results& results) {
  std::optional<Param> best;
  std::size_t most = 1;
  for (const Param param : {Param::batch, Param::length, Param::threads, Param::ranks}) {
    std::set<std::int64_t> values;
    for (const auto& trial : results.trials) {
      if (const auto* value = std::get_if<std::int64_t>(&trial.parameters[param])) values.insert(*value);
    }
    if (values.size() <= most) continue;
    most = values.size();
    best = param;
  }
  return best;
}

/// The parameters that name a curve or a panel: without the axis, and without repetitions.
std::vector<Param> naming(const std::vector<Param>& params, Param axis) {
  std::vector<Param> kept;
  std::copy_if(params.begin(), params.end(), std::back_inserter(kept),
               [axis](Param param) { return param != axis && param != Param::repeat && param != Param::seed; });
  return kept;
}

std::optional<double> batch_of(const results::TrialRow& trial) {
  const auto* batch = std::get_if<std::int64_t>(&trial.parameters[Param::batch]);
  return batch && *batch > 0 ? std::optional(static_cast<double>(*batch)) : std::nullopt;
}

/// The trial's place on the axis; nothing if it has no time or does not read the axis.
std::optional<double> place_of(const results::TrialRow& trial, Param axis) {
  const auto time = metric(trial, "step_time");
  const auto* place = std::get_if<std::int64_t>(&trial.parameters[axis]);
  return time && *time > 0 && place && *place > 0 ? std::optional(static_cast<double>(*place)) : std::nullopt;
}

/// The values measured along the axis, thinned evenly to `most`.
std::set<double> kept_values(const results::Results& results, Param axis, std::size_t most) {
  std::set<double> values;
  for (const auto& trial : results.trials) {
    if (const auto place = place_of(trial, axis)) values.insert(*place);
  }
  const std::size_t every = (values.size() + most - 1) / most;
  std::size_t position = 0;
  std::erase_if(values, [&](double) { return position++ % every != 0; });
  return values;
}

/// The item of that name, new if there is none yet; null if there is no room.
template <class Item>
Item* named(std::vector<Item>& items, const std::string& name, std::size_t most) {
  for (auto& item : items) {
    if (item.name == name) return &item;
  }
  if (items.size() == most) return nullptr;
  items.emplace_back().name = name;
  return &items.back();
}

/// The time of a trial, per step or per sample, as far as it is known.
struct Timing {
  double seconds = 0;
  std::optional<stats::Range> range;
};

/// From its processes or squares where it was compared, as ratios are (R1); else the median of its steps.
Timing timing_of(const results::TrialRow& trial, const TrialUnits& units, double work) {
  if (units.log_values.empty()) return {*metric(trial, "step_time") / work, std::nullopt};
  const auto range = stats::sign_interval(units.log_values, stats::rules::alpha);
  Timing timing{std::exp(stats::median(units.log_values)) / work, std::nullopt};
  if (range.finite() && !range.empty())
    timing.range = stats::Range{std::exp(range.low) / work, std::exp(range.high) / work};
  return timing;
}

/// Times before repeats are condensed.
struct RawCurve {
  std::string name;
  std::map<double, std::vector<Timing>> timings;
};
struct RawPanel {
  std::string name;
  std::vector<RawCurve> curves;
  std::map<double, double> roofline;
};

void add_roof(RawPanel& panel, double place, std::optional<double> seconds) {
  if (!seconds) return;
  const auto [known, is_new] = panel.roofline.emplace(place, *seconds);
  if (!is_new) known->second = std::min(known->second, *seconds);
}

Curve condensed(const RawCurve& raw) {
  Curve curve{raw.name, {}, {}};
  for (const auto& [place, timings] : raw.timings) {
    std::vector<double> seconds;
    for (const Timing& timing : timings) seconds.push_back(timing.seconds);
    curve.seconds[place] = stats::median(seconds);
    if (timings.size() == 1 && timings.front().range) curve.ranges[place] = *timings.front().range;
  }
  return curve;
}

Panel condensed(const RawPanel& raw) {
  Panel panel{raw.name, {}, raw.roofline};
  for (const auto& curve : raw.curves) panel.curves.push_back(condensed(curve));
  return panel;
}

bool has_a_line(const RawPanel& panel) {
  return std::any_of(panel.curves.begin(), panel.curves.end(),
                     [](const auto& curve) { return curve.timings.size() > 1; });
}

/// The measured trials, each in its curve; says whether there was room for all.
bool fill(std::vector<RawPanel>& panels, const results::Results& results, const Axes& axes, const Growth& growth,
          const GrowthLimits& limits) {
  const auto curve_params = naming(axes.arm, growth.axis);
  auto panel_params = naming(axes.stratum, growth.axis);
  std::ranges::copy(naming(axes.replicates, growth.axis), std::back_inserter(panel_params));
  const auto kept = kept_values(results, growth.axis, limits.values);
  const auto units = session_units(results, {});
  const Roofline roofline(results);
  bool all_fit = true;
  for (std::size_t index = 0; index < results.trials.size(); ++index) {
    const auto& trial = results.trials[index];
    const auto place = place_of(trial, growth.axis);
    if (!place) continue;
    auto* panel = kept.contains(*place) ? named(panels, label(trial.parameters, panel_params), limits.panels) : nullptr;
    auto* curve = panel ? named(panel->curves, label(trial.parameters, curve_params), limits.curves) : nullptr;
    all_fit = all_fit && curve;
    if (!curve) continue;
    const double work = growth.per_sample ? *batch_of(trial) : 1;
    curve->timings[*place].push_back(timing_of(trial, units[index], work));
    auto roof = roofline.step_seconds(trial);
    if (roof) *roof /= work;
    add_roof(*panel, *place, roof);
  }
  return all_fit;
}

}  // namespace

std::optional<Growth> growth(const results::Results& results, const Axes& axes, const GrowthLimits& limits) {
  const auto axis = numeric_axis(results);
  if (!axis) return std::nullopt;
  Growth found;
  found.axis = *axis;
  found.per_sample = std::all_of(results.trials.begin(), results.trials.end(),
                                 [&](const auto& trial) { return !place_of(trial, *axis) || batch_of(trial); });
  std::vector<RawPanel> panels;
  found.left_out = !fill(panels, results, axes, found, limits);
  for (const auto& panel : panels) {
    if (has_a_line(panel)) found.panels.push_back(condensed(panel));
  }
  return found.panels.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace regatta::analysis
