#include <fmt/format.h>

#include <algorithm>

#include "results/collect/metrics.hpp"
#include "results/file/columns.hpp"
#include "results/file/cube.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_writer.hpp"

namespace regatta::results::hdf5 {
namespace {

template <class Level>
std::vector<Level> levels_as(const CubeAxis& axis) {
  std::vector<Level> levels;
  for (const sweep::Value& level : axis.levels) levels.push_back(std::get<Level>(level));
  return levels;
}

Column coordinates_of(const CubeAxis& axis) {
  switch (sweep::info(axis.param).type) {
    case sweep::ParamType::integer:
      return levels_as<std::int64_t>(axis);
    case sweep::ParamType::real:
      return levels_as<double>(axis);
    case sweep::ParamType::text:
      break;
  }
  std::vector<std::string> texts;  // merged files may hold levels of several kinds
  for (const sweep::Value& level : axis.levels) texts.push_back(sweep::to_text(level));
  return texts;
}

/// `take` of each cell's trial; `none` where no trial stands.
template <class Value, class Take>
std::vector<Value> cells(const Cube& cube, const Results& results, Value none, Take&& take) {
  std::vector<Value> values;
  values.reserve(cube.trial.size());
  for (std::int64_t trial : cube.trial) {
    values.push_back(trial < 0 ? none : take(results.trials[static_cast<std::size_t>(trial)]));
  }
  return values;
}

void write_cube(hid_t parent, const Cube& cube, const Results& results) {
  GroupWriter group(parent, cube.model);
  std::vector<std::string> names;
  for (const CubeAxis& axis : cube.axes) {
    const sweep::ParamInfo& row = sweep::info(axis.param);
    names.emplace_back(sweep::name_of(axis.param));
    Variable variable = group.dimension(names.back(), coordinates_of(axis), false);
    variable.describe(std::string(row.description)).text("role", "factor");
    if (!row.unit.empty()) variable.unit(std::string(row.unit));
  }
  group.variable("trial", names, cube.trial, std::int64_t{-1}).describe("row of /trials");
  const auto status = cells(cube, results, std::int8_t{-1}, [](const TrialRow& row) {
    const auto found = std::ranges::find(status_names, sweep::status_of(row.outcome));
    return static_cast<std::int8_t>(found - status_names.begin());
  });
  group.variable("status", names, status, std::int8_t{-1}).flags(status_names).describe("how the trial ended");
  for (const MetricInfo& metric : metric_table()) {
    const std::string name(metric.name);
    const auto values = cells(cube, results, missing_number, [&](const TrialRow& row) {
      const auto found = row.metrics.find(name);
      return found == row.metrics.end() ? missing_number : found->second;
    });
    group.variable("m_" + name, names, values, missing_number)
        .unit(std::string(metric.unit))
        .describe(std::string(metric.description));
  }
}

}  // namespace

void write_cubes(const File& file, const Results& results) {
  const GroupWriter group(file, "cube");
  for (const Cube& cube : cubes(results)) write_cube(group.id(), cube, results);
}

}  // namespace regatta::results::hdf5
