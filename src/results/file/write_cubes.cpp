#include <fmt/format.h>

#include <algorithm>

#include "results/file/columns.hpp"
#include "results/file/file.hpp"
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
std::vector<Value> cells(const Cube& cube, Value none, Take&& take) {
  std::vector<Value> values;
  values.reserve(cube.trial.size());
  for (std::int64_t trial : cube.trial) values.push_back(trial < 0 ? none : take(static_cast<std::size_t>(trial)));
  return values;
}

void write_cube(hid_t parent, const Cube& cube, const Results& results, const std::vector<MetricColumn>& metrics) {
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
  const auto status = cells(cube, std::int8_t{-1}, [&](std::size_t trial) {
    const auto found = std::ranges::find(status_names, sweep::status_of(results.trials[trial].outcome));
    return static_cast<std::int8_t>(found - status_names.begin());
  });
  group.variable("status", names, status, std::int8_t{-1}).flags(status_names).describe("how the trial ended");
  for (const auto& [metric, values] : metrics) {
    const auto of_cells = cells(cube, missing_number, [&](std::size_t trial) { return values[trial]; });
    group.variable("m_" + metric.name, names, of_cells, missing_number).unit(metric.unit).describe(metric.description);
  }
}

}  // namespace

void write_cubes(const File& file, const Results& results) {
  const GroupWriter group(file, "cube");
  std::vector<MetricColumn> metrics = metric_columns(results.trials);
  metrics.resize(metric_table().size());  // a cube has the known ones
  for (const Cube& cube : cubes(results)) write_cube(group.id(), cube, results, metrics);
}

}  // namespace regatta::results::hdf5
