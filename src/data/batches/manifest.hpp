// What a dataset's manifest.json promises about its files.
#pragma once

#include <filesystem>
#include <string>

namespace regatta::data {

/// The bytes of `name` in `folder`, compared with the SHA-256 that the folder's manifest.json has for it. Throws
/// InputError naming the file that is missing or damaged (the manifest itself if it has no SHA-256 for `name`).
std::string read_listed_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace regatta::data
