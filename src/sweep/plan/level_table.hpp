// Levels as small numbers: what points are made of until somebody asks for their values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

/// A level of one parameter; 0 is its default.
using LevelId = std::uint32_t;

/// The level of every parameter at a point.
using PointLevels = std::array<LevelId, param_count>;

/// The levels that a sweep names anywhere, each once. Those of `repeat` are their own numbers and take no room.
class LevelTable {
 public:
  LevelTable();

  LevelId add(Param param, const Value& value);
  [[nodiscard]] std::optional<LevelId> find(Param param, const Value& value) const;
  [[nodiscard]] Value value(Param param, LevelId level) const;

  /// The value of every parameter at a point, whether it is read there or not.
  [[nodiscard]] Parameters values_at(const PointLevels& levels) const;

 private:
  struct Levels {
    std::vector<Value> values;
    std::unordered_map<Value, LevelId> ids;
  };
  std::array<Levels, param_count> levels_;
};

}  // namespace regatta::sweep
