#include "regatta/sweep/engines.hpp"

#include <algorithm>

namespace regatta::sweep {

const EngineInfo* find_engine(std::string_view name) {
  const auto row = std::ranges::find(engine_table(), name, &EngineInfo::name);
  return row == engine_table().end() ? nullptr : &*row;
}

bool contains(const EngineInfo::Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const EngineInfo::Own* find_own(const EngineInfo& engine, std::string_view name) {
  const auto own = std::ranges::find(engine.own_params, name, &EngineInfo::Own::name);
  return own == engine.own_params.end() ? nullptr : &*own;
}

bool has_worker(std::string_view engine, WorkerKind kind) {
  const EngineInfo* row = find_engine(engine);
  return row != nullptr && row->worker == kind;
}

}  // namespace regatta::sweep
