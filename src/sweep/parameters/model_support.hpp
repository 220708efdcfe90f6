// Which models the engines of this version run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

/// Why the engine cannot run this model (a layer or loss it lacks, an impossible shape, a dataset that does not fit),
/// or nothing.
std::optional<std::string> model_skip_reason(const EngineInfo& engine, const Parameters& parameters,
                                             const model::Model& model);

/// "synthetic", and what comes along with files.
std::vector<std::string_view> dataset_names();

}  // namespace regatta::sweep
