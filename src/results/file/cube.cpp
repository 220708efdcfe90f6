#include <algorithm>
#include <map>
#include <optional>
#include <variant>

#include "regatta/results/parameters_of.hpp"
#include "results/file/file.hpp"

namespace regatta::results {
namespace {

using sweep::Param;
using sweep::Value;
using Members = std::vector<std::int64_t>;  ///< indices of trials

constexpr std::size_t most_cells = std::size_t{1} << 24;

bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }

const Value& value_of(const Results& results, std::int64_t trial, const Param& param) {
  return results.trials[static_cast<std::size_t>(trial)].parameters[param];
}

CubeAxis axis_of(const Results& results, const Members& members, const Param& param) {
  CubeAxis axis{param, {}, {}};
  for (std::int64_t trial : members) {
    const Value& value = value_of(results, trial, param);
    if (!is_null(value) && axis.position.emplace(value, 0).second) axis.levels.push_back(value);
  }
  if (sweep::is_number(sweep::info(param))) std::ranges::sort(axis.levels);
  for (std::size_t level = 0; level < axis.levels.size(); ++level) axis.position[axis.levels[level]] = level;
  return axis;
}

/// The number of cells, or nothing if there are too many for the trials or for memory.
std::optional<std::size_t> cells_of(const std::vector<CubeAxis>& axes) {
  std::size_t cells = 1;
  for (const CubeAxis& axis : axes) {
    cells *= axis.levels.size();
    if (cells > most_cells) return std::nullopt;
  }
  return cells;
}

/// Puts a trial into each cell from `axis` on that its values name; false if one of them is taken.
bool place(const Results& results, Cube& cube, std::int64_t trial, std::size_t axis, std::size_t offset) {
  if (axis == cube.axes.size()) {
    if (cube.trial[offset] >= 0) return false;
    cube.trial[offset] = trial;
    return true;
  }
  const CubeAxis& along = cube.axes[axis];
  const std::size_t first = offset * along.levels.size();
  const Value& value = value_of(results, trial, along.param);
  if (!is_null(value)) return place(results, cube, trial, axis + 1, first + along.position.at(value));
  for (std::size_t level = 0; level < along.levels.size(); ++level) {
    if (!place(results, cube, trial, axis + 1, first + level)) return false;
  }
  return true;
}

/// False if the axes do not tell all trials apart, or give too many cells.
bool fill(const Results& results, const Members& members, Cube& cube) {
  const auto cells = cells_of(cube.axes);
  if (!cells) return false;
  cube.trial.assign(*cells, -1);
  return std::ranges::all_of(members, [&](std::int64_t trial) { return place(results, cube, trial, 0, 0); });
}

std::vector<CubeAxis> sweep_axes(const Results& results, const Members& members) {
  std::vector<CubeAxis> axes;
  for (const Param& param : axes_of_sweep(results)) {
    if (param == Param::model) continue;
    CubeAxis axis = axis_of(results, members, param);
    if (!axis.levels.empty()) axes.push_back(std::move(axis));
  }
  return axes;
}

std::optional<Cube> cube_of(const Results& results, const std::string& model, const Members& members) {
  Cube cube{model, sweep_axes(results, members), {}};
  bool apart = fill(results, members, cube);
  for (const sweep::ParamInfo& row : sweep::parameter_table()) {
    if (apart) break;
    const bool used = std::ranges::find(cube.axes, row.param, &CubeAxis::param) != cube.axes.end();
    CubeAxis axis = axis_of(results, members, row.param);
    if (used || row.param == Param::model || axis.levels.size() < 2) continue;
    cube.axes.push_back(std::move(axis));
    apart = fill(results, members, cube);
  }
  const auto filled = std::ranges::count_if(cube.trial, [](std::int64_t trial) { return trial >= 0; });
  if (!apart || 2 * static_cast<std::size_t>(filled) < cube.trial.size()) return std::nullopt;
  return cube;
}

}  // namespace

std::vector<Cube> cubes(const Results& results) {
  std::map<std::string, Members> models;
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    const auto* model = std::get_if<std::string>(&results.trials[i].parameters[Param::model]);
    models[model != nullptr ? *model : "commands"].push_back(static_cast<std::int64_t>(i));
  }
  std::vector<Cube> cubes;
  for (const auto& [model, members] : models) {
    if (auto cube = cube_of(results, model, members)) cubes.push_back(std::move(*cube));
  }
  return cubes;
}

}  // namespace regatta::results
