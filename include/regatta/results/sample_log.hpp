// samples.bin: raw stats::Sample records; the journal names offset, count and CRC of each block's piece.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "regatta/results/log_file.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::results {

struct SampleExtent {
  std::uint64_t offset_bytes = 0;
  std::uint64_t count = 0;
  std::uint32_t crc = 0;
};

class SampleLogWriter {
 public:
  explicit SampleLogWriter(const std::filesystem::path& file);  ///< appends; throws StorageError
  explicit SampleLogWriter(std::unique_ptr<LogFile> file);

  /// Throws StorageError, and does so for every call after a failure.
  SampleExtent append(std::span<const stats::Sample> samples);

  /// fdatasync; may be called from another thread than append. Throws like append.
  void sync();

 private:
  void expect_working() const;

  std::unique_ptr<LogFile> file_;
  std::uint64_t end_bytes_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> dirty_ = true;  ///< something was written since the last sync
};

/// Reads pieces of one sample log.
class SampleLogReader {
 public:
  explicit SampleLogReader(const std::filesystem::path& file);  ///< throws InputError
  explicit SampleLogReader(std::shared_ptr<const LogFile> file);

  /// Throws InputError naming file, offset and what does not match.
  [[nodiscard]] std::vector<stats::Sample> read(const SampleExtent& extent) const;

 private:
  std::shared_ptr<const LogFile> file_;
  std::uint64_t end_bytes_ = 0;
};

/// One piece. Throws like SampleLogReader.
std::vector<stats::Sample> read_samples(const std::filesystem::path& file, const SampleExtent& extent);

}  // namespace regatta::results
