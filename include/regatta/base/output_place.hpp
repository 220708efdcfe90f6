// The place that a user names for an output. What is wrong with it is the user's mistake, and is said before anything
// is read or written; StorageError is left for a disk that fails.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace regatta {

/// Throws InputError unless a file may be written to `place`: its folder is there and may be written to, and the name
/// is no folder's. Neither may it be one of `inputs`, which the command reads, nor lie in the folder of a run. A pipe
/// or a device is left to open_stream(). `option`: what the user knows it by, such as "-o".
void expect_place_of_file(std::string_view option, const std::filesystem::path& place,
                          const std::vector<std::filesystem::path>& inputs);

/// The same of a folder that gets files. It need not be there yet.
void expect_place_of_folder(std::string_view option, const std::filesystem::path& place);

}  // namespace regatta
