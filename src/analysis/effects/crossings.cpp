#include <algorithm>
#include <map>

#include "analysis/effects/effects.hpp"
#include "regatta/stats/crossover.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

/// Axes along which there can be a crossover.
std::vector<Param> numeric(const std::vector<Param>& params) {
  std::vector<Param> kept;
  std::ranges::copy_if(params, std::back_inserter(kept), [](Param param) {
    return sweep::is_number(sweep::info(param)) && param != Param::repeat && param != Param::seed;
  });
  return kept;
}

/// The contrasts of an effect along one axis, by the rest of their setting.
using Lines = std::map<std::string, std::vector<stats::AxisPoint>>;

Lines lines_along(const results::Results& results, const Contrasts& contrasts, const Axes& axes, const Effect& effect,
                  Param axis) {
  std::vector<Param> rest;
  std::ranges::copy_if(axes.stratum, std::back_inserter(rest), [&](Param param) { return param != axis; });
  Lines lines;
  for (const std::size_t index : effect.contrasts) {
    const Contrast& contrast = contrasts.contrasts[index];
    const auto& parameters = results.trials[contrast.b.value].parameters;
    const auto* level = std::get_if<std::int64_t>(&parameters[axis]);
    const auto estimate = log_estimate(contrast);
    if (!level || !estimate) continue;
    const auto verdict = contrast.verdict;
    lines[label(parameters, rest)].push_back({static_cast<double>(*level), *estimate, verdict});
  }
  return lines;
}

}  // namespace

std::vector<Crossing> crossings_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes,
                                   const std::vector<Effect>& effects) {
  std::vector<Crossing> found;
  for (const Effect& effect : effects) {
    for (const Param axis : numeric(axes.stratum)) {
      for (const auto& [where, points] : lines_along(results, contrasts, axes, effect, axis)) {
        for (const auto& each : stats::crossovers(points)) {
          Crossing crossing{effect.b, effect.a, axis, where, each.at};
          if (each.becomes_slower) std::swap(crossing.below, crossing.above);
          found.push_back(std::move(crossing));
        }
      }
    }
  }
  return found;
}

}  // namespace regatta::analysis
