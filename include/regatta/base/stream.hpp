// Places where output goes: those that users name, and those that are no files (pipes, devices, the standard streams of
// a program).
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "regatta/base/unique_fd.hpp"

namespace regatta {

/// The pipe, the device or the descriptor of this process (`/dev/stdout`) that `path` names, open for writing. Nothing
/// where it names a file, or nothing yet. Throws InputError for everything else that a file must not replace: a socket,
/// a disk, a link to a device, a pipe that nobody reads.
UniqueFd open_stream(const std::filesystem::path& path);

/// Whether `path` names a pipe, a device or a descriptor of this process, so that nothing is put into its folder.
bool is_stream(const std::filesystem::path& path);

/// For files that must be read again, so that no stream will do. Throws InputError unless `path` names a file, or
/// nothing yet.
void expect_replaceable(const std::filesystem::path& path);

// places/output_place.cpp: A wrong place for an output is the user's mistake, which is said before anything is read or
// written; StorageError is left for a disk that fails.

/// Throws InputError unless a file may be written to `place`: its folder is there and may be written to, and the name
/// is no folder's. Neither may it be one of `inputs`, which the command reads, nor lie in the folder of a run. A pipe
/// or a device is left to open_stream(). `option`: the name that the user knows it by, such as "-o".
void expect_place_of_file(std::string_view option, const std::filesystem::path& place,
                          const std::vector<std::filesystem::path>& inputs);

/// The same of a folder that gets files. It need not be there yet.
void expect_place_of_folder(std::string_view option, const std::filesystem::path& place);

/// Opens standard input, output and errors where they are closed, on /dev/null. Else the next file that is opened, such
/// as a journal, takes their place, and words for people go into it.
void open_closed_streams();

/// Runs a command that prints, and sees to it that its words have left this process. Where standard output could not be
/// written, a command that ended well throws StorageError; any other exit code says more, so it is kept and the loss is
/// logged.
int with_output(const std::function<int()>& command);

}  // namespace regatta
