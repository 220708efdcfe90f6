#include "regatta/results/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/base/unique_fd.hpp"
#include "results/file/file.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_writer.hpp"
#include "results/file/reading_child.hpp"

namespace regatta::results {
namespace {

constexpr std::string_view temporary_end = ".tmp";
constexpr std::uint64_t largest_file_bytes = std::uint64_t{1} << 36;

std::string temporary_prefix(const std::string& name) { return "." + name + "."; }

/// A new file beside the target that is gone with this object, unless it was renamed to it.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target) : target_(target) {
    path_ = target.parent_path() /
            fmt::format("{}{}{}", temporary_prefix(target.filename().string()), ::getpid(), temporary_end);
    ::unlink(path_.c_str());  // left by an earlier process with our number
    fd_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd_) throw_errno("create");
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(path_.c_str());
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(fd_.get(), bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) throw_errno("write");
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    if (::fsync(fd_.get()) != 0) throw_errno("sync");
    if (::close(fd_.release()) != 0) throw_errno("close");
  }

  void rename() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) throw_errno("rename");
    renamed_ = true;
    sync_folder(target_.parent_path());
  }

 private:
  [[noreturn]] void throw_errno(const char* action) const {
    throw StorageError(errno_text(fmt::format("cannot {} '{}'", action, path_.string()), errno));
  }

  std::filesystem::path target_;
  std::filesystem::path path_;
  UniqueFd fd_;
  bool renamed_ = false;
};

/// Writes them, or, into a file that is opened to read, compares.
void put_results(const hdf5::File& file, const Results& results) {
  hdf5::write_tables(file, results);
  hdf5::write_cubes(file, results);
}

std::string image_of(const Results& results) {
  const hdf5::File file = hdf5::create_in_memory();
  put_results(file, results);
  std::string image = hdf5::file_image(file);
  return image += hdf5::seal_of(image);
}

[[noreturn]] void throw_no_hdf5(const std::filesystem::path& file) {
  throw InputError(
      fmt::format("'{}' is no HDF5 file (a result file is one); name a NAME.h5 that regatta wrote", file.string()));
}

/// Before the library sees a byte of it.
void expect_result_file(const std::filesystem::path& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  if (std::filesystem::is_directory(file)) {
    throw InputError(
        fmt::format("'{}' is a folder (a result file is needed); name a NAME.h5, or make it with `regatta collect`",
                    file.string()));
  }
  const bool is_there = std::filesystem::exists(file);
  if (is_there && !std::filesystem::is_regular_file(file)) {
    throw InputError(fmt::format(
        "'{}' is a pipe or a device (a result file is needed, which is read more than once); name a NAME.h5",
        file.string()));
  }
  if (!is_there) {
    throw InputError(fmt::format("there is no file '{}' (a result file is needed); name a NAME.h5", file.string()));
  }
  hdf5::SealCheck seal;
  bool is_hdf5 = false;
  read_file(file, largest_file_bytes, [&](std::string_view piece) {
    is_hdf5 = is_hdf5 || piece.starts_with(signature);
    if (!is_hdf5) throw_no_hdf5(file);
    seal.take(piece);
  });
  if (!is_hdf5) throw_no_hdf5(file);
  if (seal.holds()) return;
  throw InputError(fmt::format(
      "'{}' was damaged or changed since Regatta wrote it, or is no result file. Its checksum does not match: its "
      "numbers cannot be trusted. Rebuild it with `regatta collect` from the folder NAME.regatta",
      file.string()));
}

/// No child has to read what this process wrote.
void verify(const std::filesystem::path& file, const Results& meant) {
  expect_result_file(file);
  try {
    put_results(hdf5::open_to_read(file), meant);
  } catch (const hdf5::Differs& different) {
    throw StorageError(
        fmt::format("'{}': '{}' read back differs from what was written: a faulty disk or memory. The old file, if "
                    "any, was kept. Collect again from the folder NAME.regatta",
                    file.string(), different.what()));
  }
}

}  // namespace

void write_results(const std::filesystem::path& file, const Results& results) {
  expect_replaceable(file);  // no stream can be read back
  const hdf5::QuietErrors quiet;
  try {
    expect_references(results);
    Temporary temporary(file);
    temporary.write(image_of(results));
    verify(temporary.path(), results);
    temporary.rename();
  } catch (const hdf5::Hdf5Error& error) {
    throw StorageError(fmt::format("cannot write '{}': {}", file.string(), error.what()));
  } catch (const InputError& error) {
    throw StorageError(fmt::format("cannot write '{}', or read it back: {}", file.string(), error.what()));
  }
}

Results read_results(const std::filesystem::path& file) {
  expect_result_file(file);
  try {
    hdf5::ReadingChild child(file, hdf5::limits_of(std::filesystem::file_size(file)));
    return hdf5::read_tables([&](const hdf5::Request& request) { return child.ask(request); });
  } catch (const hdf5::Hdf5Error& error) {
    throw InputError(
        fmt::format("'{}' cannot be read: {} (it is damaged); rebuild it with `regatta collect` "
                    "from the folder NAME.regatta",
                    file.string(), error.what()));
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", file.string(), error.what()));
  }
}

void remove_stale_temporaries(const std::filesystem::path& folder, const std::string& name) {
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    std::string text = entry.path().filename().string();
    const std::string prefix = temporary_prefix(name);
    if (!text.starts_with(prefix) || !text.ends_with(temporary_end)) continue;
    text = text.substr(prefix.size(), text.size() - prefix.size() - temporary_end.size());
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    if (error != std::errc() || end != text.data() + text.size() || pid <= 0) continue;
    if (::kill(pid, 0) != 0 && errno == ESRCH) std::filesystem::remove(entry.path(), failure);
  }
}

}  // namespace regatta::results
