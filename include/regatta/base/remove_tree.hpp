// Removes what programs leave behind.
#pragma once

#include <filesystem>
#include <system_error>

namespace regatta {

/// Removes `path` and all in it, also folders that a program made unwritable or unreadable (`go mod` leaves such ones)
/// and that belong to this user. Links are removed and never followed. Nothing is wrong where nothing is there.
void remove_tree(const std::filesystem::path& path, std::error_code& problem);

}  // namespace regatta
