#include "sweep/plan/level_table.hpp"

namespace regatta::sweep {

LevelTable::LevelTable() {
  for (const ParamInfo& row : parameter_table()) add(row.param, row.fallback);
}

LevelId LevelTable::add(Param param, const Value& value) {
  if (param == Param::repeat) return static_cast<LevelId>(std::get<std::int64_t>(value));
  Levels& levels = levels_[static_cast<std::size_t>(param)];
  const auto [known, is_new] = levels.ids.try_emplace(value, static_cast<LevelId>(levels.values.size()));
  if (is_new) levels.values.push_back(value);
  return known->second;
}

std::optional<LevelId> LevelTable::find(Param param, const Value& value) const {
  if (param == Param::repeat) {
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? std::optional(static_cast<LevelId>(*number)) : std::nullopt;
  }
  const auto& ids = levels_[static_cast<std::size_t>(param)].ids;
  const auto known = ids.find(value);
  return known == ids.end() ? std::nullopt : std::optional(known->second);
}

Value LevelTable::value(Param param, LevelId level) const {
  if (param == Param::repeat) return static_cast<std::int64_t>(level);
  return levels_[static_cast<std::size_t>(param)].values[level];
}

Parameters LevelTable::values_at(const PointLevels& levels) const {
  Parameters values;
  for (std::size_t i = 0; i < param_count; ++i) values.values[i] = value(static_cast<Param>(i), levels[i]);
  return values;
}

}  // namespace regatta::sweep
