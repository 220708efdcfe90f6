#include "regatta/base/stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"

namespace regatta {
namespace {

namespace fs = std::filesystem;

/// The kind of file that a name itself stands for, before any link is followed.
enum class Kind { file, link_to_file, link_to_other, pipe, device, other };

Kind kind_of(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return Kind::file;
  if (S_ISFIFO(info.st_mode)) return Kind::pipe;
  if (S_ISCHR(info.st_mode)) return Kind::device;
  if (!S_ISLNK(info.st_mode)) return Kind::other;
  struct stat target {};
  const bool is_file = ::stat(path.c_str(), &target) != 0 || S_ISREG(target.st_mode) || S_ISDIR(target.st_mode);
  return is_file ? Kind::link_to_file : Kind::link_to_other;
}

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// N of `/dev/stdout`, `/dev/fd/N` and `/proc/self/fd/N`. Links in other folders are not followed: somebody else may
/// have put them there.
std::optional<int> own_descriptor(fs::path path) {
  constexpr int most_links = 4;
  std::error_code unseen;
  for (int followed = 0; followed <= most_links; ++followed) {
    const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", unseen);
    if (unseen) return std::nullopt;
    if (folder == fmt::format("/proc/{}/fd", ::getpid())) return number_in(path.filename().string());
    if (folder != "/dev") return std::nullopt;
    path = folder / fs::read_symlink(folder / path.filename(), unseen);
    if (unseen) return std::nullopt;
  }
  return std::nullopt;
}

UniqueFd copy_of(int descriptor, const fs::path& path) {
  UniqueFd copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!copy) throw InputError(errno_text(fmt::format("cannot write to '{}'", path.string()), errno));
  return copy;
}

/// Without waiting for a reader of a pipe, who may never come.
UniqueFd open_at_once(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!fd && errno == ENXIO)
    throw InputError(fmt::format("nobody reads the pipe '{}'; start its reader first", path.string()));
  if (!fd) throw InputError(errno_text(fmt::format("cannot write to '{}'", path.string()), errno));
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) != 0)
    throw InputError(errno_text(fmt::format("cannot write to '{}'", path.string()), errno));
  return fd;
}

[[noreturn]] void refuse(const fs::path& path) {
  throw InputError(fmt::format("'{}' is no file, and a file would take its place; name a file, or a name that is free",
                               path.string()));
}

/// The error that standard output met, if it met any; `known` is one that it met before. What it still holds is
/// dropped: nobody will get it.
std::optional<std::string> lost_output(int known) {
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_written) return std::nullopt;
  int error_number = errno != 0 ? errno : known;
  ::__fpurge(stdout);
  // An earlier write met the error, and its number is gone: one more write meets it again.
  if (error_number == 0) error_number = ::write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
  std::clearerr(stdout);
  return errno_text("cannot write to standard output (what is there is cut short)", error_number);
}

}  // namespace

UniqueFd open_stream(const fs::path& path) {
  if (const auto descriptor = own_descriptor(path)) return copy_of(*descriptor, path);
  switch (kind_of(path)) {
    case Kind::file:
    case Kind::link_to_file:
      return {};
    case Kind::pipe:
    case Kind::device:
      return open_at_once(path);
    case Kind::link_to_other:
    case Kind::other:
      break;
  }
  refuse(path);
}

bool is_stream(const fs::path& path) {
  const Kind kind = kind_of(path);
  return own_descriptor(path) || (kind != Kind::file && kind != Kind::link_to_file);
}

void expect_replaceable(const fs::path& path) {
  if (is_stream(path)) refuse(path);
}

void open_closed_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);  // the lowest free number, which is this one
  }
}

int with_output(const std::function<int()>& command) {
  int code = exit_code::done;
  int error_number = 0;
  try {
    code = command();
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) throw;  // fmt throws one, too, where standard output takes no more
    error_number = error.code().value();
  }
  const std::optional<std::string> loss = lost_output(error_number);
  if (!loss) return code;
  if (code == exit_code::done) throw StorageError(*loss);
  log::error(*loss);
  return code;
}

}  // namespace regatta
