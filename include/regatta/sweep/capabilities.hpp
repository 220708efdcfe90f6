// What each engine can do, known before anything runs. Each worker's `ready` is tested against it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/sweep/parameters.hpp"

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

/// Why the engine cannot run this trial (a named level it lacks, a layer it lacks, an impossible
/// shape), or nothing. `model` is null if the trial has none.
std::optional<std::string> skip_reason(const Parameters& parameters, const model::Model* model);

/// Whether the engine and model of `parameters` read `param`; what is not read becomes null.
bool reads(const Parameters& parameters, const model::Model* model, Param param);

}  // namespace regatta::sweep
