#include "regatta/results/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/unique_fd.hpp"
#include "results/file/file_columns.hpp"
#include "results/file/layout.hpp"
#include "results/file/reading_child.hpp"
#include "results/file/seal.hpp"

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
    fd_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
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

std::string image_of(const Results& results) {
  const hdf5::File file = hdf5::create_in_memory();
  hdf5::write_tables(file, results);
  hdf5::write_cubes(file, results);
  std::string image = hdf5::file_image(file);
  return image += hdf5::seal_of(image);
}

/// A metric that is no number is stored, and read back, as not measured.
std::map<std::string, double> measured(std::map<std::string, double> metrics) {
  std::erase_if(metrics, [](const auto& metric) { return std::isnan(metric.second); });
  return metrics;
}

bool same_trial(const TrialRow& a, const TrialRow& b) {
  return a.hash == b.hash && a.parameters == b.parameters && a.outcome.index() == b.outcome.index() &&
         measured(a.metrics) == measured(b.metrics);
}

bool same_sample(const SampleRow& a, const SampleRow& b) {
  return a.trial == b.trial && a.block == b.block && std::memcmp(&a.sample, &b.sample, sizeof a.sample) == 0;
}

bool same_intervention(const InterventionRow& a, const InterventionRow& b) {
  return a.block == b.block && a.trial == b.trial && a.intervention == b.intervention &&
         a.outcome.index() == b.outcome.index();
}

bool same_intervention_sample(const InterventionSampleRow& a, const InterventionSampleRow& b) {
  return a.row == b.row && std::memcmp(&a.sample, &b.sample, sizeof a.sample) == 0;
}

bool same_point(const sweep::CurvePoint& a, const sweep::CurvePoint& b) {
  const auto same = [](double one, double other) { return one == other || (std::isnan(one) && std::isnan(other)); };
  return a.step == b.step && a.samples == b.samples && std::ranges::equal(a.values, b.values, same);
}

bool same_leg(const LegRow& a, const LegRow& b) {
  const bool is_same = a.block == b.block && a.trial == b.trial && a.leg == b.leg &&
                       a.outcome.index() == b.outcome.index() && a.learned.end == b.learned.end;
  return is_same && a.learned.curve.metrics == b.learned.curve.metrics &&
         std::ranges::equal(a.learned.curve.points, b.learned.curve.points, same_point);
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
  if (!std::filesystem::is_regular_file(file)) {
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
  throw InputError(
      fmt::format("'{}' was damaged or changed since Regatta wrote it, or is no result file (its checksum "
                  "does not match, so its numbers cannot be trusted); rebuild it with `regatta collect` "
                  "from the folder NAME.regatta",
                  file.string()));
}

/// What is wrong with the file as it was read back, or "".
std::string difference(const Results& read, const Results& meant) {
  if (!std::ranges::equal(read.trials, meant.trials, same_trial)) return "trials";
  if (!std::ranges::equal(read.samples, meant.samples, same_sample)) return "samples";
  if (!std::ranges::equal(read.blocks, meant.blocks, {}, &BlockRow::hash, &BlockRow::hash)) return "blocks";
  if (!std::ranges::equal(read.interventions, meant.interventions, same_intervention)) return "interventions";
  if (!std::ranges::equal(read.intervention_samples, meant.intervention_samples, same_intervention_sample))
    return "samples of interventions";
  if (!std::ranges::equal(read.legs, meant.legs, same_leg)) return "legs";
  if (read.failed_attempts.size() != meant.failed_attempts.size()) return "failed attempts";
  if (read.hosts.size() != meant.hosts.size()) return "hosts";
  if (read.devices.size() != meant.devices.size()) return "devices";
  if (read.envs.size() != meant.envs.size()) return "environments";
  if (read.sources.size() != meant.sources.size()) return "sources";
  if (read.provenance.sweep_json != meant.provenance.sweep_json) return "sweep file";
  return "";
}

/// No child has to read what this process wrote.
void verify(const std::filesystem::path& file, const Results& meant) {
  expect_result_file(file);
  const hdf5::File written = hdf5::open_to_read(file);
  const std::string what = difference(hdf5::read_tables(hdf5::columns_of(written)), meant);
  if (what.empty()) return;
  throw StorageError(
      fmt::format("'{}': the {} read back differ from those written (a faulty disk or memory); the old file, "
                  "if any, was kept; collect again from the folder NAME.regatta",
                  file.string(), what));
}

}  // namespace

void write_results(const std::filesystem::path& file, const Results& results) {
  const hdf5::QuietErrors quiet;
  try {
    Temporary temporary(file);
    temporary.write(image_of(results));
    verify(temporary.path(), results);
    temporary.rename();
  } catch (const hdf5::Hdf5Error& error) {
    throw StorageError(fmt::format("cannot write '{}': {}", file.string(), error.what()));
  } catch (const InputError& error) {
    throw StorageError(fmt::format("cannot read back what was written: {}", error.what()));
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
