#include "regatta/results/sample_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"

namespace regatta::results {
namespace {

static_assert(std::endian::native == std::endian::little, "samples.bin is little-endian");

std::string_view bytes_of(std::span<const stats::Sample> samples) {
  return {reinterpret_cast<const char*>(samples.data()), samples.size_bytes()};
}

[[noreturn]] void throw_damaged(const LogFile& file, const SampleExtent& extent, const std::string& what) {
  throw InputError(
      fmt::format("'{}' is damaged: {} at byte {}. A block's measurements cannot be trusted. The file was left "
                  "untouched. Put back a good copy, or save the whole parts with `regatta collect --salvage`",
                  file.name(), what, extent.offset_bytes));
}

}  // namespace

SampleLogWriter::SampleLogWriter(const std::filesystem::path& file)
    : SampleLogWriter(std::make_unique<PosixLogFile>(file)) {}

// Samples that a cut-off session left stay: no record of the journal names them.
SampleLogWriter::SampleLogWriter(std::unique_ptr<LogFile> file)
    : file_(std::move(file)), end_bytes_(file_->size_bytes()) {}

void SampleLogWriter::expect_working() const {
  if (failed_)
    throw StorageError(fmt::format("an earlier write to '{}' failed; free or repair the disk", file_->name()));
}

SampleExtent SampleLogWriter::append(std::span<const stats::Sample> samples) {
  expect_working();
  const std::string_view bytes = bytes_of(samples);
  const SampleExtent extent{end_bytes_, samples.size(), crc32c(bytes)};
  if (bytes.empty()) return extent;
  try {
    file_->append(bytes);
  } catch (...) {
    failed_ = true;
    throw;
  }
  end_bytes_ += bytes.size();
  dirty_ = true;
  return extent;
}

void SampleLogWriter::sync() {
  expect_working();
  if (!dirty_.exchange(false)) return;
  try {
    file_->sync();
  } catch (...) {
    failed_ = true;
    throw;
  }
}

namespace {

std::shared_ptr<const LogFile> open_samples(const std::filesystem::path& file) {
  try {
    return open_for_reading(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} (it holds the measurements)", error.what()));
  }
}

}  // namespace

SampleLogReader::SampleLogReader(const std::filesystem::path& file) : SampleLogReader(open_samples(file)) {}

SampleLogReader::SampleLogReader(std::shared_ptr<const LogFile> file)
    : file_(std::move(file)), end_bytes_(file_->size_bytes()) {}

std::vector<stats::Sample> SampleLogReader::read(const SampleExtent& extent) const {
  const std::uint64_t room = extent.offset_bytes > end_bytes_ ? 0 : end_bytes_ - extent.offset_bytes;
  if (extent.count > room / sizeof(stats::Sample)) {
    throw_damaged(*file_, extent, fmt::format("{} samples should stand, but the file ends,", extent.count));
  }
  std::vector<stats::Sample> samples(extent.count);
  const std::string bytes = file_->read(extent.offset_bytes, samples.size() * sizeof(stats::Sample));
  if (bytes.size() < samples.size() * sizeof(stats::Sample))
    throw_damaged(*file_, extent, "the file ends inside the samples");
  if (crc32c(bytes) != extent.crc) throw_damaged(*file_, extent, "the checksum of the samples does not match");
  if (!bytes.empty()) std::memcpy(samples.data(), bytes.data(), bytes.size());
  const auto is_known = [](const stats::Sample& sample) {
    return static_cast<std::size_t>(sample.phase) < stats::phase_names.size();
  };
  if (!std::ranges::all_of(samples, is_known)) throw_damaged(*file_, extent, "a sample of a phase that does not exist");
  return samples;
}

std::vector<stats::Sample> read_samples(const std::filesystem::path& file, const SampleExtent& extent) {
  return SampleLogReader(file).read(extent);
}

}  // namespace regatta::results
