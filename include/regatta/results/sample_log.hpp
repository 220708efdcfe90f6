// samples.bin: raw stats::Sample records; the journal names offset, count and CRC of each block's piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "regatta/base/unique_fd.hpp"
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
  SampleExtent append(std::span<const stats::Sample> samples);
  void sync();

 private:
  UniqueFd fd_;
  std::uint64_t end_bytes_ = 0;
};

/// Throws InputError naming file, offset and what does not match.
std::vector<stats::Sample> read_samples(const std::filesystem::path& file, const SampleExtent& extent);

}  // namespace regatta::results
