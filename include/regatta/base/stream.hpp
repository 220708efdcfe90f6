// Places where output goes that are no files: pipes, devices, the standard streams of a program.
#pragma once

#include <filesystem>
#include <functional>

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

/// Opens standard input, output and errors where they are closed, on /dev/null. Else the next file that is opened, such
/// as a journal, takes their place, and words for people go into it.
void open_closed_streams();

/// Runs a command that prints, and sees to it that its words have left this process. Where standard output could not be
/// written, a command that ended well throws StorageError; any other exit code says more, so it is kept and the loss is
/// logged.
int with_output(const std::function<int()>& command);

}  // namespace regatta
