// The two files of a run on a disk that may break in any of its operations.
#pragma once

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

  /// Keeps what was synced, and as much of the rest of each file as happened to be written.
  void lose_power() {
    for (results::MemoryDisk* file : {&journal, &samples})
      file->crash(random.below(file->bytes.size() - file->synced_bytes + 1));
    operations_left.reset();
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
