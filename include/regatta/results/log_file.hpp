// The port between what a run records and the disk. Journal and sample log touch files through this alone: five verbs,
// with a POSIX implementation here and a file system in memory, which can crash, in the tests.
//
// A file only grows. append() hands bytes over; they may be lost, in part and from the end, until sync() returned: then
// they are durable. truncate() cuts a tail that a crash tore. After a failed append() or sync() the writers above this
// port never call it again, because what reached the disk is unknown. sync() may run on another thread than append().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "regatta/base/lease.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta::results {

/// Tells a file's states apart without reading it: it grows, or another file takes its place.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t changed_nanoseconds = 0;  ///< since the epoch
  bool operator==(const FileStamp&) const = default;
};

class LogFile {
 public:
  virtual ~LogFile() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< for messages

  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
  /// The bytes from `offset` on, at most `count` of them: fewer only at the end of the file. Throws InputError.
  [[nodiscard]] virtual std::string read(std::uint64_t offset, std::uint64_t count) const = 0;

  /// The stamp of the file's present state. Nothing where states cannot be told apart. Throws InputError.
  [[nodiscard]] virtual std::optional<FileStamp> stamp() const { return std::nullopt; }

  virtual void append(std::string_view bytes) = 0;  ///< all of them, or throws StorageError
  virtual void sync() = 0;                          ///< throws StorageError
  virtual void truncate(std::uint64_t bytes) = 0;   ///< durable after the next sync(); throws StorageError
};

/// A file of the operating system.
class PosixLogFile : public LogFile {
 public:
  /// Opens or creates the file, private to the user. Throws StorageError.
  explicit PosixLogFile(std::filesystem::path file);

  /// Keeps other writers out for the lifetime of this object. Waits up to `seconds` for another one to end. Throws
  /// InputError if it does not, StorageError. Where the file system has no locks it does nothing: the folder's owner is
  /// told by its lease.
  void lock(double seconds);

  /// From now on nothing is written once another run owns the folder of this epoch: append() and truncate() throw
  /// FencedOff then.
  void fence(const LeaseFence& fence) { fence_ = fence; }

  [[nodiscard]] std::string name() const override { return file_.string(); }
  [[nodiscard]] std::uint64_t size_bytes() const override;
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const override;
  [[nodiscard]] std::optional<FileStamp> stamp() const override;
  void append(std::string_view bytes) override;
  void sync() override;
  void truncate(std::uint64_t bytes) override;

 protected:
  PosixLogFile(std::filesystem::path file, UniqueFd fd) : file_(std::move(file)), fd_(std::move(fd)) {}
  friend std::unique_ptr<const LogFile> open_for_reading(const std::filesystem::path& file);

 private:
  std::filesystem::path file_;
  UniqueFd fd_;
  std::optional<LeaseFence> fence_;
};

/// Throws InputError if it cannot be opened.
std::unique_ptr<const LogFile> open_for_reading(const std::filesystem::path& file);

/// Whether a writer holds the file's lock now, on this host or another that shares its locks.
bool is_locked(const std::filesystem::path& file);

}  // namespace regatta::results
