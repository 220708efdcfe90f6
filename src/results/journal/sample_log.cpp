#include "regatta/results/sample_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <string_view>

#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"

namespace regatta::results {
namespace {

static_assert(std::endian::native == std::endian::little, "samples.bin is little-endian");

UniqueFd open_log(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) throw StorageError(errno_text(fmt::format("cannot open '{}'", file.string()), errno));
  return fd;
}

std::string_view bytes_of(std::span<const stats::Sample> samples) {
  return {reinterpret_cast<const char*>(samples.data()), samples.size_bytes()};
}

[[noreturn]] void throw_damaged(const std::filesystem::path& file, const SampleExtent& extent,
                                const std::string& what) {
  throw InputError(
      fmt::format("'{}' is damaged: {} at byte {} (a block's measurements cannot be trusted); the file was "
                  "left untouched: put back a good copy, or save what is whole with `regatta salvage`",
                  file.string(), what, extent.offset_bytes));
}

}  // namespace

SampleLogWriter::SampleLogWriter(const std::filesystem::path& file) : file_(file), fd_(open_log(file)) {
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  if (end < 0) throw StorageError(errno_text(fmt::format("cannot seek '{}'", file.string()), errno));
  // What a cut-off session left behind stays: no journal line names it.
  end_bytes_ = static_cast<std::uint64_t>(end);
}

void SampleLogWriter::expect_working() const {
  if (failed_)
    throw StorageError(fmt::format("an earlier write to '{}' failed; free or repair the disk", file_.string()));
}

SampleExtent SampleLogWriter::append(std::span<const stats::Sample> samples) {
  expect_working();
  std::string_view left = bytes_of(samples);
  const SampleExtent extent{end_bytes_, samples.size(), crc32c(left)};
  while (!left.empty()) {
    const ssize_t wrote = ::write(fd_.get(), left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      failed_ = true;
      throw StorageError(errno_text(fmt::format("cannot write '{}'", file_.string()), errno));
    }
    left.remove_prefix(static_cast<std::size_t>(wrote));
    end_bytes_ += static_cast<std::uint64_t>(wrote);
  }
  return extent;
}

void SampleLogWriter::sync() {
  expect_working();
  if (::fdatasync(fd_.get()) == 0) return;
  failed_ = true;
  throw StorageError(errno_text(fmt::format("cannot sync '{}'", file_.string()), errno));
}

SampleLogReader::SampleLogReader(const std::filesystem::path& file)
    : file_(file), fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat info {};
  if (!fd_ || ::fstat(fd_.get(), &info) != 0) {
    throw InputError(errno_text(fmt::format("cannot open '{}' (it holds the measurements)", file.string()), errno));
  }
  end_bytes_ = static_cast<std::uint64_t>(info.st_size);
}

std::vector<stats::Sample> SampleLogReader::read(const SampleExtent& extent) const {
  const std::uint64_t room = extent.offset_bytes > end_bytes_ ? 0 : end_bytes_ - extent.offset_bytes;
  if (extent.count > room / sizeof(stats::Sample)) {
    throw_damaged(file_, extent, fmt::format("{} samples should stand, but the file ends,", extent.count));
  }
  std::vector<stats::Sample> samples(extent.count);
  auto* to = reinterpret_cast<char*>(samples.data());
  std::size_t done = 0;
  const std::size_t wanted = samples.size() * sizeof(stats::Sample);
  while (done < wanted) {
    const ssize_t got = ::pread(fd_.get(), to + done, wanted - done, static_cast<off_t>(extent.offset_bytes + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(errno_text(fmt::format("cannot read '{}'", file_.string()), errno));
    if (got == 0) throw_damaged(file_, extent, "the file ends inside the samples");
    done += static_cast<std::size_t>(got);
  }
  if (crc32c({to, wanted}) != extent.crc) throw_damaged(file_, extent, "the checksum of the samples does not match");
  return samples;
}

std::vector<stats::Sample> read_samples(const std::filesystem::path& file, const SampleExtent& extent) {
  return SampleLogReader(file).read(extent);
}

}  // namespace regatta::results
