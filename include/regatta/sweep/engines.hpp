// The table of engines: what each can do, known before anything runs. Each worker's `ready` is tested against it.
#pragma once

#include <string_view>
#include <vector>

namespace regatta::sweep {

struct EngineInfo {
  std::string_view name;
  std::vector<std::string_view> modes;
  std::vector<std::string_view> devices;
  std::vector<std::string_view> loops;
  std::vector<std::string_view> apis;  ///< empty: the engine does not read `api`
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> precisions;
};

const std::vector<EngineInfo>& engine_table();
const EngineInfo* find_engine(std::string_view name);

/// Whether the engine is a module of a Python installation.
bool runs_in_python(std::string_view engine);

}  // namespace regatta::sweep
