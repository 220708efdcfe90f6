#include "regatta/base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "regatta/base/error.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta {

UniqueFd open_regular_file(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe's end would be waited for
  if (!fd) throw InputError(errno_text(fmt::format("cannot open '{}'", path.string()), errno));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0)
    throw InputError(errno_text(fmt::format("cannot stat '{}'", path.string()), errno));
  if (S_ISDIR(info.st_mode))
    throw InputError(fmt::format("'{}' is a folder (a file is needed); name a file", path.string()));
  if (!S_ISREG(info.st_mode)) {
    throw InputError(fmt::format("'{}' is a pipe or a device (reading it may never end); name a file", path.string()));
  }
  return fd;
}

namespace {

[[noreturn]] void throw_too_large(const std::filesystem::path& path, std::uint64_t limit_bytes) {
  throw InputError(fmt::format("'{}' is larger than {} bytes (it would not be a sane input); check the path",
                               path.string(), limit_bytes));
}

}  // namespace

std::uint64_t file_size(const UniqueFd& fd, const std::filesystem::path& path, std::uint64_t limit_bytes) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0)
    throw InputError(errno_text(fmt::format("cannot stat '{}'", path.string()), errno));
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > limit_bytes) throw_too_large(path, limit_bytes);
  return size;
}

void read_at(const UniqueFd& fd, std::uint64_t at, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t got = ::pread(fd.get(), to.data(), to.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(errno_text(fmt::format("byte {} cannot be read", at), errno));
    if (got == 0) throw InputError(fmt::format("byte {} is missing (it became shorter while it was read)", at));
    at += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

void read_file(const std::filesystem::path& path, std::uint64_t limit_bytes, const ByteSink& take) {
  const UniqueFd fd = open_regular_file(path);
  std::string piece(std::size_t{1} << 16, '\0');
  std::uint64_t size = 0;
  for (;;) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(errno_text(fmt::format("cannot read '{}'", path.string()), errno));
    if (got == 0) return;
    size += static_cast<std::uint64_t>(got);
    if (size > limit_bytes) throw_too_large(path, limit_bytes);
    take(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
  }
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit_bytes) {
  std::string bytes;
  read_file(path, limit_bytes, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

namespace {

void write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw StorageError(errno_text(fmt::format("cannot write '{}'", name), errno));
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

/// Eight hexadecimal digits that nobody can foresee: whoever may write in the folder could take a known name first.
std::string unforeseen_digits() {
  std::uint32_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
    throw StorageError(errno_text("the system gives no random numbers", errno));
  return fmt::format("{:08x}", bits);
}

/// A new file beside `path`, and its name. A link that somebody put there is never followed.
UniqueFd open_beside(const std::filesystem::path& path, mode_t mode, std::string& name) {
  constexpr int most_tries = 16;
  for (int tried = 1;; ++tried) {
    name = fmt::format("{}.{}.tmp", path.string(), unforeseen_digits());
    UniqueFd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (fd) return fd;
    if (errno != EEXIST || tried == most_tries)
      throw StorageError(errno_text(fmt::format("cannot create '{}'", name), errno));
  }
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes, Readers readers) {
  write_file_atomically(
      path, [bytes](const auto& sink) { sink(bytes); }, readers);
}

void write_file_atomically(const std::filesystem::path& path, const std::function<void(const ByteSink&)>& produce,
                           Readers readers) {
  std::string temporary;
  {
    const UniqueFd fd = open_beside(path, readers == Readers::user ? 0600 : 0644, temporary);
    try {
      produce([&](std::string_view bytes) { write_all(fd.get(), bytes, temporary); });
      if (::fsync(fd.get()) != 0) throw StorageError(errno_text(fmt::format("cannot sync '{}'", temporary), errno));
    } catch (...) {
      ::unlink(temporary.c_str());
      throw;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    throw StorageError(errno_text(fmt::format("cannot rename to '{}'", path.string()), error_number));
  }
  sync_folder(path.parent_path());
}

void write_result(const std::filesystem::path& path, std::string_view bytes) {
  write_result(path, [bytes](const auto& sink) { sink(bytes); });
}

void write_result(const std::filesystem::path& path, const std::function<void(const ByteSink&)>& produce) {
  const UniqueFd stream = open_stream(path);
  if (!stream) return write_file_atomically(path, produce, Readers::by_umask);
  produce([&](std::string_view bytes) { write_all(stream.get(), bytes, path.string()); });
}

namespace {

[[noreturn]] void throw_no_folder(const std::filesystem::path& folder, int error_number) {
  throw FolderError(errno_text(fmt::format("cannot create the folder '{}'", folder.string()), error_number),
                    error_number);
}

/// Creates the missing folders above. Others may read them, as far as the umask allows, and never write.
void create_parents(const std::filesystem::path& folder) {
  const std::filesystem::path parent = folder.parent_path();
  std::error_code failure;
  if (parent.empty() || parent == folder || std::filesystem::is_directory(parent, failure)) return;
  create_parents(parent);
  if (::mkdir(parent.c_str(), 0755) == 0) return sync_folder(parent.parent_path());
  if (errno != EEXIST) throw_no_folder(parent, errno);
}

}  // namespace

std::filesystem::path unused_name(const std::filesystem::path& path) {
  std::filesystem::path name = path;
  std::error_code unseen;  // a name that cannot be looked up cannot be written either
  for (int number = 2; std::filesystem::exists(name, unseen); ++number)
    name = fmt::format("{}-{}", path.string(), number);
  return name;
}

void create_private_folder(const std::filesystem::path& folder) {
  create_parents(folder);
  if (::mkdir(folder.c_str(), 0700) == 0) return sync_folder(folder.parent_path());
  const int error_number = errno;
  std::error_code failure;
  if (error_number == EEXIST && std::filesystem::is_directory(folder, failure)) {
    open_private_folder(folder);
    return;
  }
  throw_no_folder(folder, error_number);
}

UniqueFd open_private_folder(const std::filesystem::path& folder) {
  const std::string name = (folder.has_filename() ? folder : folder.parent_path()).string();  // no slash at its end
  std::error_code failure;
  if (std::filesystem::is_symlink(name, failure)) {
    throw InputError(fmt::format(
        "'{}' is a link (whoever may change it decides where results go); put the folder itself there", name));
  }
  UniqueFd fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0)
    throw InputError(errno_text(fmt::format("cannot open the folder '{}'", name), errno));
  if (info.st_uid != ::geteuid()) {
    throw InputError(fmt::format(
        "the folder '{}' belongs to user {} (who could change what is recorded there); choose another folder", name,
        info.st_uid));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw InputError(fmt::format(
        "others may write in the folder '{}' (they could change what is recorded there); run `chmod go-w {}`", name,
        shell_path(name)));
  }
  return fd;
}

void sync_folder(const std::filesystem::path& folder) {
  const std::string name = folder.empty() ? "." : folder.string();
  const UniqueFd fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && ::fsync(fd.get()) == 0) return;
  const int error_number = errno;
  throw FolderError(errno_text(fmt::format("cannot sync folder '{}'", name), error_number), error_number);
}

void sync_way_to(const std::filesystem::path& folder) {
  std::filesystem::path above = std::filesystem::absolute(folder);
  if (!above.has_filename()) above = above.parent_path();
  sync_folder(above);
  above = above.parent_path();
  sync_folder(above);
  while (above.has_relative_path()) {
    above = above.parent_path();
    const UniqueFd fd(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return;  // not this user's: no run has made it
  }
}

}  // namespace regatta
