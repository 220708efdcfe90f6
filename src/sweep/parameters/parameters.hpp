// The tables of parameters and engines, what each engine reads and can run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

// model_support.cpp: The models that the engines of this version run.

/// Why the engine cannot run this model (a layer or loss it lacks, an impossible shape, a dataset that does not fit),
/// or nothing.
std::optional<std::string> model_skip_reason(const EngineInfo& engine, const Parameters& parameters,
                                             const model::Model& model);

/// "synthetic", and what comes along with files.
std::vector<std::string_view> dataset_names();

// parameters_json.cpp: Values and parameters as JSON at the end of a text.

/// A value, or all of them, as to_json gives them, at the end of a text.
void append_json(std::string& out, const Value& value);
enum class Nulls { written, left_out };
void append_json(std::string& out, const Parameters& parameters, Nulls nulls = Nulls::written);

/// A level of a sweep's own axis as it stands in JSON: a flag is true or false.
std::string own_level_json(const Param& param, const Value& value);

}  // namespace regatta::sweep
