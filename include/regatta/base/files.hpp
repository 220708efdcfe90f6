// Whole files in and out. Working files of a run are private to the user (0600, 0700). Its results (result files, pages
// and exports) may be read by everybody whom the umask allows, and written by nobody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "regatta/base/error.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta {

/// A regular file, open for reading: a pipe or a device might never end. Throws InputError naming the path.
UniqueFd open_regular_file(const std::filesystem::path& path);

/// Size of an open file in bytes. Throws InputError naming the path, or if it is more than `limit_bytes`.
std::uint64_t file_size(const UniqueFd& fd, const std::filesystem::path& path, std::uint64_t limit_bytes);

/// Fills `to` with the bytes of an open file from `at` on. Throws InputError, which leaves the file's name to who knows
/// it, also if it ends before.
void read_at(const UniqueFd& fd, std::uint64_t at, std::span<std::byte> to);

/// Takes the next bytes of a file that may be too long to be held at once.
using ByteSink = std::function<void(std::string_view)>;

/// Hands over the bytes of a regular file piece by piece. Throws InputError naming the path, or if it is larger than
/// `limit_bytes`.
void read_file(const std::filesystem::path& path, std::uint64_t limit_bytes, const ByteSink& take);

/// The bytes of a regular file. Throws InputError naming the path, or if it is larger than `limit_bytes`.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit_bytes = std::uint64_t{1} << 30);

/// The users who may read a new file.
enum class Readers : std::uint8_t { user, by_umask };

/// Writes beside the target, fsyncs, renames, fsyncs the folder: readers see the old or the new file,
/// never half of one. Whatever has the name is replaced, a link as well as a pipe. Throws StorageError.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes, Readers readers = Readers::user);

/// The same for bytes that `produce` hands over piece by piece; what it throws leaves the old file as it was.
void write_file_atomically(const std::filesystem::path& path, const std::function<void(const ByteSink&)>& produce,
                           Readers readers = Readers::user);

/// Writes a result that the user named, readable by whom the umask lets. Most are written as above; a pipe, a device or
/// a descriptor (`/dev/stdout`) takes the bytes itself. Throws StorageError, and what open_stream() throws.
void write_result(const std::filesystem::path& path, std::string_view bytes);
void write_result(const std::filesystem::path& path, const std::function<void(const ByteSink&)>& produce);

/// The first of `path`, `path`-2, `path`-3, ... that nothing has.
std::filesystem::path unused_name(const std::filesystem::path& path);

/// A folder that cannot be made or synced, and why.
struct FolderError : StorageError {
  FolderError(const std::string& what, int number) : StorageError(what), error_number(number) {}
  int error_number;  ///< errno
};

/// Creates the folder, private to the user (0700), unless it is there; its parents so that nobody else may write to
/// them. Durable when it returns. Throws FolderError, and what open_private_folder throws of one that is there.
void create_private_folder(const std::filesystem::path& folder);

/// A folder, held open, to which nobody else writes: it is no link, the user's own, and others may not write to it.
/// Throws InputError that says which of these does not hold, and what to do.
UniqueFd open_private_folder(const std::filesystem::path& folder);

/// Makes a rename inside `folder` durable. Throws FolderError.
void sync_folder(const std::filesystem::path& folder);
/// The folder, and those above it as far as this process may: a run that was killed may have made any of them and not
/// have synced yet that they are there. Throws StorageError for the folder and the one that it lies in.
void sync_way_to(const std::filesystem::path& folder);

/// Removes `path` and all in it, also folders that a program made unwritable or unreadable (`go mod` leaves such ones)
/// and that belong to this user. Links are removed and never followed. Nothing is wrong where nothing is there.
/// (places/remove_tree.cpp)
void remove_tree(const std::filesystem::path& path, std::error_code& problem);

}  // namespace regatta
