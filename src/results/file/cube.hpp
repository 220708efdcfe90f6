// The grid of a model's trials, for the N-dimensional labelled arrays of the result file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::results {

struct CubeAxis {
  sweep::Param param;
  std::vector<sweep::Value> levels;              ///< integers ascending, texts in the order of the trials
  std::map<sweep::Value, std::size_t> position;  ///< where each level stands in `levels`
};

struct Cube {
  std::string model;  ///< "commands" for trials that have none
  std::vector<CubeAxis> axes;
  std::vector<std::int64_t> trial;  ///< row-major over the axes: index of the trial, or -1
};

/// A cube for each model whose grid is at least half full. Its axes are those of the sweep that the model reads, and
/// whatever else is needed to tell the trials apart. A trial that does not read one of the axes (null) stands in all
/// its levels: it is what each of these points means.
std::vector<Cube> cubes(const Results& results);

}  // namespace regatta::results
