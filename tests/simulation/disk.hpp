// The two files of a run on a disk that may break in any of its operations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "random.hpp"
#include "regatta/base/error.hpp"
#include "results/journal/memory_log_file.hpp"

namespace regatta::simulation {

struct Disk {
  explicit Disk(Random& random_of_life) : random(random_of_life) {}

  Random& random;
  results::MemoryDisk journal;
  results::MemoryDisk samples;
  std::optional<std::uint64_t> operations_left;  ///< until it breaks, if it does

  /// Whether the operation that begins now is the one that breaks, or comes after it.
  bool breaks() { return operations_left && (*operations_left == 0 || (*operations_left)-- == 0); }

  /// Keeps what was synced, and of the rest of each file what happened to be written: its beginning, or sectors of it.
  void lose_power() {
    for (results::MemoryDisk* file : {&journal, &samples}) {
      file->crash(random.below(file->bytes.size() - file->synced_bytes + 1));
      if (random.chance(0.5)) lose_sectors(*file);
    }
    operations_left.reset();
  }

  /// Zeroes some unwritten sectors: they read as zero bytes.
  void lose_sectors(results::MemoryDisk& file) {
    constexpr std::size_t sector_bytes = 512;
    for (std::size_t begin = file.synced_bytes; begin < file.bytes.size();) {
      const std::size_t end = std::min((begin / sector_bytes + 1) * sector_bytes, file.bytes.size());
      if (random.chance(0.5)) std::fill_n(file.bytes.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, '\0');
      begin = end;
    }
  }
};

class BreakingFile : public results::MemoryLogFile {
 public:
  BreakingFile(Disk& disk, results::MemoryDisk& file) : MemoryLogFile(file), disk_(disk) {}

  void append(std::string_view bytes) override {
    const bool is_last = disk_.breaks();
    MemoryLogFile::append(is_last ? bytes.substr(0, disk_.random.below(bytes.size() + 1)) : bytes);
    if (is_last) throw StorageError("the disk broke in an append");
  }
  void sync() override {
    if (disk_.breaks()) throw StorageError("the disk broke in a sync");
    MemoryLogFile::sync();
  }

 private:
  Disk& disk_;
};

}  // namespace regatta::simulation
