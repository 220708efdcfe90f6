// A log file in memory that can lose what was not synced, as a machine does that loses power.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "regatta/base/error.hpp"
#include "regatta/results/log_file.hpp"

namespace regatta::results {

/// The contents of a disk: they outlive the files that are open on it.
struct MemoryDisk {
  std::string bytes;
  std::size_t synced_bytes = 0;
  bool fails = false;  ///< every write and sync

  /// Keeps what was synced and this many bytes behind it.
  void crash(std::size_t kept) { bytes.resize(std::min(bytes.size(), synced_bytes + kept)); }
};

class MemoryLogFile : public LogFile {
 public:
  explicit MemoryLogFile(MemoryDisk& disk, std::string name = "memory") : disk_(disk), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::uint64_t size_bytes() const override { return disk_.bytes.size(); }
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t count) const override {
    return offset < disk_.bytes.size() ? disk_.bytes.substr(offset, count) : std::string();
  }
  void append(std::string_view bytes) override {
    if (disk_.fails) throw StorageError("cannot write '" + name_ + "'");
    disk_.bytes += bytes;
  }
  void sync() override {
    if (disk_.fails) throw StorageError("cannot sync '" + name_ + "'");
    disk_.synced_bytes = disk_.bytes.size();
  }
  void truncate(std::uint64_t bytes) override {
    disk_.bytes.resize(bytes);
    disk_.synced_bytes = std::min<std::size_t>(disk_.synced_bytes, bytes);
  }

 private:
  MemoryDisk& disk_;
  std::string name_;
};

}  // namespace regatta::results
