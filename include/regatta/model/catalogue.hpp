// The named models, and models written out as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"

namespace regatta::model {

/// All names that find_model resolves, in the order of docs/sweep-file.md.
std::vector<std::string> model_names();

/// A named model for an input of `length` positions (read by the conv1d models only; see reads_length).
/// Nothing if the name is unknown.
std::optional<Model> find_model(std::string_view name, std::int64_t length);

/// Whether the model of this name depends on `length`.
bool reads_length(std::string_view name);

/// A model written out as in docs/sweep-file.md. Throws InputError whose text starts with the JSON
/// pointer (relative to the model) of the offending value, then what was found and expected.
Model parse_model(std::string_view json);

/// The model as JSON that parse_model reads back to an equal model: what workers are sent.
std::string to_json(const Model& model);

}  // namespace regatta::model
