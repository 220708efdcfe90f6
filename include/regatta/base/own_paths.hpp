// Where this program's own files are, and where it may remember things of this user.
#pragma once

#include <filesystem>
#include <string_view>

namespace regatta {

/// The folder of the running executable.
std::filesystem::path executable_folder();

/// share/regatta beside the executable's folder.
std::filesystem::path share_folder();

/// The shared object that serves a device to the worker in this folder.
std::filesystem::path plugin_file(const std::filesystem::path& folder, std::string_view device);

/// ${XDG_CACHE_HOME:-~/.cache}/regatta; empty if neither is set.
std::filesystem::path user_cache_folder();

}  // namespace regatta
