// Files in the user's cache folder that hold what earlier runs have shown. None of them is needed: one that cannot be
// read is learnt anew.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

namespace regatta::launcher {

/// Hands the file's JSON to `read`. Returns false where there is no file, and, after a warning that ends with
/// `consequence`, where it is damaged or `read` refuses it.
bool read_cache_file(const std::filesystem::path& file, std::string_view consequence,
                     const std::function<void(const nlohmann::json&)>& read);

/// Replaces the file as a whole, and makes its folder. Throws as the file system does.
void write_cache_file(const std::filesystem::path& file, const nlohmann::json& document);

}  // namespace regatta::launcher
