#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "loader_options.hpp"
#include "native.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/crc32c.hpp"

namespace regatta::worker {
namespace {

constexpr double least_seconds = 1e-3;
constexpr double most_seconds = 86400;
constexpr double most_step_microseconds = 60e6;
constexpr std::int64_t steps_between_looks = 64;  // at the clock: a batch may take less time than that does

void compute_for(double seconds) {
  const Deadline deadline = Deadline::after(seconds);
  while (!deadline.passed()) {
  }
}

/// The checksum so far, with the bytes of another batch.
std::uint32_t digest(const data::Loader& loader, const data::LoadedBatch& batch, std::uint32_t so_far) {
  for (std::size_t i = 0; i < batch.fields.size(); ++i) {
    const std::size_t bytes = data::row_bytes(loader.fields()[i]) * static_cast<std::size_t>(batch.count);
    so_far = crc32c({reinterpret_cast<const char*>(batch.fields[i]), bytes}, so_far);
  }
  return so_far;
}

struct Taken {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double seconds = 0;
  std::uint32_t digest = 0;  ///< 0: nothing was looked at
};

/// So many steps, with what they hold digested.
Taken take_steps(data::Loader& loader, std::int64_t steps, double step_seconds) {
  Taken taken;
  const double begin = steady_seconds();
  for (; taken.steps < steps; ++taken.steps) {
    const auto batch = loader.next();
    taken.samples += batch->count;
    taken.digest = digest(loader, *batch, taken.digest);
    if (step_seconds > 0) compute_for(step_seconds);
  }
  taken.seconds = steady_seconds() - begin;
  return taken;
}

/// As many steps as take `seconds`, untouched.
Taken take_seconds(data::Loader& loader, double seconds, double step_seconds) {
  Taken taken;
  const double begin = steady_seconds();
  do {
    for (std::int64_t i = 0; i < (step_seconds > 0 ? 1 : steps_between_looks); ++i, ++taken.steps) {
      const auto batch = loader.next();
      taken.samples += batch->count;
      if (step_seconds > 0) compute_for(step_seconds);
    }
    taken.seconds = steady_seconds() - begin;
  } while (taken.seconds < seconds);
  return taken;
}

/// The most memory that this process has held, mapped files too; 0 where the system does not tell. (getrusage counts
/// the process that it was forked from.)
std::uint64_t peak_bytes() {
  constexpr std::string_view key = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) << 10;
  }
  return 0;
}

std::string report(const data::Loader& loader, const Taken& taken, const data::LoaderTimes& times) {
  const double waited = times.wait_seconds / std::max(times.wait_seconds + times.consume_seconds, 1e-12);
  std::ostringstream out;
  out.precision(9);
  out << "{\"samples_per_second\": " << static_cast<double>(taken.samples) / taken.seconds
      << ", \"seconds_per_batch\": " << taken.seconds / static_cast<double>(taken.steps)
      << ", \"steps\": " << taken.steps << ", \"steps_done\": " << loader.steps_done() << ", \"wait_share\": " << waited
      << ", \"bound_by\": \"" << data::name_of(data::bound_by(times)) << "\", \"wait_seconds\": " << times.wait_seconds
      << ", \"compute_seconds\": " << times.consume_seconds << ", \"read_seconds\": " << times.read_seconds
      << ", \"decode_seconds\": " << times.decode_seconds << ", \"collate_seconds\": " << times.collate_seconds
      << ", \"slot_wait_seconds\": " << times.slot_wait_seconds << ", \"depth\": " << loader.depth()
      << ", \"slab_bytes\": " << loader.slab_bytes() << ", \"peak_bytes\": " << peak_bytes()
      << ", \"digest\": " << taken.digest << "}\n";
  return out.str();
}

}  // namespace

std::string load(const Options& options) {
  std::vector<data::Array> arrays = read_arrays(options);
  data::LoaderOptions how = loader_options(options, arrays.size());
  const auto steps = number_or<std::int64_t>(options, "--steps", 0, 1, data::most_steps);
  const double seconds = number_or<double>(options, "--seconds", 1, least_seconds, most_seconds);
  const double step_seconds = 1e-6 * number_or<double>(options, "--step-microseconds", 0, 0, most_step_microseconds);
  data::Loader loader(std::move(arrays), std::move(how));
  if (steps == 0) take_seconds(loader, seconds / 8, step_seconds);  // caches, and the first batches made ahead
  const data::LoaderTimes before = loader.times();
  const Taken taken = steps > 0 ? take_steps(loader, steps, step_seconds) : take_seconds(loader, seconds, step_seconds);
  return report(loader, taken, loader.times() - before);
}

}  // namespace regatta::worker
