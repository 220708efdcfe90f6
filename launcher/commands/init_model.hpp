// `regatta init NAME --model FILE`: a sweep that asks the questions of docs/questions about somebody's own model.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace regatta::launcher {

/// The file's name as an environment, command or model may have it; `otherwise` where it has none.
std::string plain_name(const std::string& path, const std::string& otherwise);

/// As JSON.
std::string in_quotes(const std::string& text);

/// The engine of a model file, by what its lines import; nothing if that is not one framework.
std::optional<std::string> engine_of_source(std::string_view source);

/// The text of a sweep of this name over the model that `build` and `make_batch` of `file` make. `engine`: empty means
/// by what the file imports. Throws InputError for a file that cannot be read, lacks a function or an engine.
std::string sweep_of_model(const std::string& name, const std::string& file, const std::string& engine);

}  // namespace regatta::launcher
