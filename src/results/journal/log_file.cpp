#include "regatta/results/log_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::results {
namespace {

constexpr auto lock_poll = std::chrono::milliseconds(10);

UniqueFd open_to_append(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) throw StorageError(errno_text(fmt::format("cannot open '{}'", file.string()), errno));
  return fd;
}

}  // namespace

PosixLogFile::PosixLogFile(std::filesystem::path file) : file_(std::move(file)), fd_(open_to_append(file_)) {}

void PosixLogFile::lock(double seconds) {
  const Deadline deadline = Deadline::after(seconds);
  while (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSYS || errno == ENOLCK || errno == EOPNOTSUPP) return;
    if (errno != EWOULDBLOCK) throw StorageError(errno_text(fmt::format("cannot lock '{}'", name()), errno));
    if (deadline.passed()) {
      throw InputError(
          fmt::format("'{}' is being written by another run (two writers would mix their results); wait "
                      "for it to end, or run into another folder with --out",
                      name()));
    }
    std::this_thread::sleep_for(lock_poll);
  }
}

std::uint64_t PosixLogFile::size_bytes() const { return stamp()->bytes; }

std::optional<FileStamp> PosixLogFile::stamp() const {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) throw InputError(errno_text(fmt::format("cannot read '{}'", name()), errno));
  constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
  return FileStamp{info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
                   info.st_mtim.tv_sec * nanoseconds_per_second + info.st_mtim.tv_nsec};
}

std::string PosixLogFile::read(std::uint64_t offset, std::uint64_t count) const {
  const std::uint64_t size = size_bytes();
  std::string bytes(std::min(count, size - std::min(size, offset)), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(fd_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(errno_text(fmt::format("cannot read '{}'", name()), errno));
    if (got == 0) break;  // somebody cut it meanwhile
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

void PosixLogFile::append(std::string_view bytes) {
  if (fence_) fence_->expect_own();
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd_.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      throw StorageError(errno_text(fmt::format("cannot write '{}'", name()), wrote < 0 ? errno : ENOSPC));
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void PosixLogFile::sync() {
  if (::fdatasync(fd_.get()) != 0) throw StorageError(errno_text(fmt::format("cannot sync '{}'", name()), errno));
}

void PosixLogFile::truncate(std::uint64_t bytes) {
  if (fence_) fence_->expect_own();
  if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0)
    throw StorageError(errno_text(fmt::format("cannot cut '{}'", name()), errno));
}

std::unique_ptr<const LogFile> open_for_reading(const std::filesystem::path& file) {
  return std::unique_ptr<const LogFile>(new PosixLogFile(file, open_regular_file(file)));
}

bool is_locked(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return false;
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;  // let go of with the descriptor
}

}  // namespace regatta::results
