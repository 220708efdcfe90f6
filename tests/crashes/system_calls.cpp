#include "system_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <utility>

namespace regatta::crashes {
namespace {

using Kind = Operation::Kind;

Recording* recording = nullptr;
std::string* caught = nullptr;

std::uint64_t size_of(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

}  // namespace

Recording::Recording(std::filesystem::path folder, const Disk& before) : folder_(std::move(folder)) {
  for (const auto& [path, entry] : before.entries) {
    if (!entry.is_folder) files_[path] = entry.file;
    next_file_ = std::max(next_file_, entry.file + 1);
  }
  recording = this;
}

Recording::~Recording() { recording = nullptr; }

void Recording::promise(std::size_t number) {
  Operation operation{Kind::promise};
  operation.promise = number;
  operations_.push_back(operation);
}

bool Recording::inside(const std::string& path, std::string& relative) const {
  const std::string root = folder_.string();
  if (path == root) relative.clear();
  if (path == root) return true;
  if (!path.starts_with(root + "/")) return false;
  relative = path.substr(root.size() + 1);
  return true;
}

void Recording::opened(int fd, const std::string& path, int flags, bool is_new) {
  Open open;
  if (!inside(path, open.path)) return;
  struct stat info {};
  open.is_folder = ::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
  if (!open.is_folder && is_new) {
    files_[open.path] = next_file_++;
    operations_.push_back({Kind::make_file, open.path, {}, files_[open.path]});
  }
  if (!open.is_folder) open.file = files_[open.path];
  if (!open.is_folder && !is_new && (flags & O_TRUNC) != 0)
    operations_.push_back({Kind::cut, open.path, {}, open.file, 0});
  open_[fd] = open;
}

void Recording::closed(int fd) { open_.erase(fd); }

void Recording::wrote(int fd, std::uint64_t offset, std::string bytes) {
  const auto open = open_.find(fd);
  if (open == open_.end()) return;
  operations_.push_back({Kind::write, open->second.path, {}, open->second.file, offset, std::move(bytes)});
}

void Recording::cut(int fd, std::uint64_t size) {
  const auto open = open_.find(fd);
  if (open != open_.end()) operations_.push_back({Kind::cut, open->second.path, {}, open->second.file, size});
}

void Recording::synced(int fd) {
  const auto open = open_.find(fd);
  if (open == open_.end()) return;
  const bool is_folder = open->second.is_folder;
  operations_.push_back({is_folder ? Kind::sync_folder : Kind::sync_file, open->second.path, {}, open->second.file});
}

void Recording::made_folder(const std::string& path) {
  std::string relative;
  if (inside(path, relative)) operations_.push_back({Kind::make_folder, relative});
}

void Recording::renamed(const std::string& from, const std::string& to) {
  std::string old_path;
  std::string new_path;
  if (!inside(from, old_path) || !inside(to, new_path)) return;
  const int file = files_[old_path];
  files_.erase(old_path);
  files_[new_path] = file;
  operations_.push_back({Kind::rename, old_path, new_path, file});
}

void Recording::removed(const std::string& path) {
  std::string relative;
  if (!inside(path, relative)) return;
  files_.erase(relative);
  operations_.push_back({Kind::remove, relative});
}

CaughtErrors::CaughtErrors() { caught = &text_; }
CaughtErrors::~CaughtErrors() { caught = nullptr; }

namespace {

int open_recorded(const char* path, int flags, mode_t mode) {
  struct stat info {};
  const bool is_new = recording != nullptr && (flags & O_CREAT) != 0 && ::stat(path, &info) != 0;
  const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  if (recording != nullptr && fd >= 0) recording->opened(fd, path, flags, is_new);
  return fd;
}

ssize_t write_recorded(int fd, const void* bytes, std::size_t count) {
  if (caught != nullptr && fd == STDERR_FILENO) {
    caught->append(static_cast<const char*>(bytes), count);
    return static_cast<ssize_t>(count);
  }
  const std::uint64_t end = recording == nullptr ? 0 : size_of(fd);
  const std::int64_t place = recording == nullptr ? 0 : ::syscall(SYS_lseek, fd, 0, SEEK_CUR);
  const bool appends = recording != nullptr && (::syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND) != 0;
  const ssize_t wrote = ::syscall(SYS_write, fd, bytes, count);
  if (recording != nullptr && wrote > 0) {
    recording->wrote(fd, appends ? end : static_cast<std::uint64_t>(place),
                     std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(wrote)));
  }
  return wrote;
}

int sync_recorded(int fd) {
  if (recording != nullptr) recording->synced(fd);
  return 0;
}

}  // namespace
}  // namespace regatta::crashes

using regatta::crashes::recording;

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  return regatta::crashes::open_recorded(path, flags, mode);
}

ssize_t write(int fd, const void* bytes, std::size_t count) {
  return regatta::crashes::write_recorded(fd, bytes, count);
}

int fsync(int fd) { return regatta::crashes::sync_recorded(fd); }
int fdatasync(int fd) { return regatta::crashes::sync_recorded(fd); }

int ftruncate(int fd, off_t size) noexcept {
  const int result = static_cast<int>(::syscall(SYS_ftruncate, fd, size));
  if (recording != nullptr && result == 0) recording->cut(fd, static_cast<std::uint64_t>(size));
  return result;
}

int mkdir(const char* path, mode_t mode) noexcept {
  const int result = static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  if (recording != nullptr && result == 0) recording->made_folder(path);
  return result;
}

int rename(const char* from, const char* to) noexcept {
  const int result = static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
  if (recording != nullptr && result == 0) recording->renamed(from, to);
  return result;
}

int unlink(const char* path) noexcept {
  const int result = static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
  if (recording != nullptr && result == 0) recording->removed(path);
  return result;
}

int close(int fd) {
  if (recording != nullptr) recording->closed(fd);
  return static_cast<int>(::syscall(SYS_close, fd));
}

}  // extern "C"
