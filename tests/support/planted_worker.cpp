// planted-worker: a worker whose steps last a known number of dependent multiplies, and that disturbs its own
// measuring as it is told (planted_load.hpp). Two of them differ by exactly the ratio of their multiplies.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <iostream>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/protocol/codec.hpp"
#include "regatta/stats/rules.hpp"
#include "support/multiply_chain.hpp"
#include "support/planted_load.hpp"

namespace regatta::testing {
namespace {

using namespace protocol;

constexpr int link_fd = 3;
constexpr std::size_t samples_per_piece = (std::size_t{256} << 10) / sizeof(stats::Sample);
constexpr double seconds_per_nanosecond = 1e-9;

std::int64_t groups(std::int64_t steps, std::int64_t group) { return (steps + group - 1) / group; }

/// A mark that all workers of a run share: set whenever one of them is prepared, taken by the first scored slice.
class FirstPlace {
 public:
  explicit FirstPlace(const std::string& path) {
    if (path.empty()) return;
    const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file.get() < 0 || ::ftruncate(file.get(), sizeof(Mark)) != 0) throw InputError(errno_text(path, errno));
    void* mapped = ::mmap(nullptr, sizeof(Mark), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (mapped == MAP_FAILED) throw InputError(errno_text("map " + path, errno));
    mark_ = static_cast<Mark*>(mapped);  // until the process ends
  }
  void offer() {
    if (mark_ != nullptr) std::atomic_ref(*mark_).store(1);
  }
  bool take() { return mark_ != nullptr && std::atomic_ref(*mark_).exchange(0) == 1; }

 private:
  using Mark = std::uint32_t;
  Mark* mark_ = nullptr;
};

class PlantedWorker {
 public:
  explicit PlantedWorker(const PlantedOptions& options)
      : load_(options, static_cast<std::uint64_t>(::getpid()), steady_nanoseconds), first_place_(options.shared_path) {}

  /// Until `stop` or the end of the link.
  void serve();

  void operator()(const Hello&) {
    reply(Ready{protocol::version, "native", "planted", {"eager", "graph"}, {"cpu"}, {}});
  }
  void operator()(const Prepare& request) {
    load_.prepare(sweep::integer_or(request.parameters, sweep::Param::repeat, 0));
    first_place_.offer();
    reply(Prepared{request.arm, 0, std::uint64_t{1} << 20, 1});
  }
  void operator()(const protocol::Join& request) { reply(protocol::Joined{request.arm}); }
  void operator()(const Check& request) {
    std::vector<std::vector<double>> losses;  // the same from each planted worker
    for (std::int64_t step = 1; step <= request.steps; ++step) losses.push_back({1.0 / static_cast<double>(step)});
    reply(Checked{request.arm, std::move(losses)});
  }
  void operator()(const Slice& request);
  void operator()(const protocol::Train& request) {  // one that only tests
    reply(protocol::Trained{request.arm, sweep::Learned()});
  }
  void operator()(const Release& request) { reply(Released{request.arm}); }
  void operator()(const Stop&) { stopped_ = true; }

 private:
  std::int64_t run_call(std::int64_t steps, std::int64_t start);
  std::int64_t run_steps(const Slice& request, stats::Phase phase, std::int64_t steps, std::int64_t group,
                         std::int64_t start, std::vector<stats::Sample>& samples);
  void reply(const WorkerReply& message);

  PlantedLoad load_;
  FirstPlace first_place_;
  FrameReader reader_;
  bool stopped_ = false;
};

/// Returns when it ended. The next call starts there, so that the stamps add up to the elapsed time.
std::int64_t PlantedWorker::run_call(std::int64_t steps, std::int64_t start) {
  load_.begin_call();
  for (std::int64_t i = 0; i < steps; ++i) {
    if (const std::int64_t multiplies = load_.next_step(); multiplies > 0) multiply_chain(multiplies);
  }
  std::int64_t now = steady_nanoseconds();
  const std::int64_t end = load_.call_end(start, now);
  while (now < end) now = steady_nanoseconds();
  return now;
}

std::int64_t PlantedWorker::run_steps(const Slice& request, stats::Phase phase, std::int64_t steps, std::int64_t group,
                                      std::int64_t start, std::vector<stats::Sample>& samples) {
  for (; steps > 0; steps -= group) {
    const std::int64_t count = std::min(group, steps);
    const std::int64_t end = run_call(count, start);
    samples.push_back({.slice = request.order.slice,
                       .arm = static_cast<std::uint16_t>(request.arm.value),
                       .phase = phase,
                       .steps = static_cast<std::uint32_t>(count),
                       .start_seconds = static_cast<double>(start) * seconds_per_nanosecond,
                       .seconds = static_cast<double>(end - start) * seconds_per_nanosecond});
    start = end;
  }
  return start;
}

void PlantedWorker::operator()(const Slice& request) {
  const stats::ArmSlices& length = request.order.length;
  if (length.group < 1) throw InputError("a slice needs a group of at least 1 step");
  const std::int64_t reentry_group =
      std::max(length.group, groups(length.reentry_steps, stats::rules::reentry_samples));
  std::vector<stats::Sample> samples;
  samples.reserve(
      static_cast<std::size_t>(groups(length.reentry_steps, reentry_group) + groups(length.steps, length.group)));
  load_.begin_slice(request.order.phase == stats::Phase::steady && first_place_.take());
  const std::int64_t start =
      run_steps(request, stats::Phase::reentry, length.reentry_steps, reentry_group, steady_nanoseconds(), samples);
  run_steps(request, request.order.phase, length.steps, length.group, start, samples);
  load_.end_slice();
  std::size_t at = 0;
  do {
    const std::size_t end = std::min(samples.size(), at + samples_per_piece);
    Samples piece{request.arm, end == samples.size(), {}};
    piece.samples.assign(samples.begin() + static_cast<std::ptrdiff_t>(at),
                         samples.begin() + static_cast<std::ptrdiff_t>(end));
    reply(piece);
    at = end;
  } while (at < samples.size());
}

void PlantedWorker::reply(const WorkerReply& message) {
  const std::string bytes = encode(to_frame(message));
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t count = ::write(link_fd, left.data(), left.size());
    if (count < 0 && errno != EINTR) throw PeerLost(errno_text("write a reply", errno));
    if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
  }
}

void PlantedWorker::serve() {
  std::array<char, 65536> piece;
  while (!stopped_) {
    if (const auto frame = reader_.next()) {
      std::visit(*this, parse_worker_request(*frame));
      continue;
    }
    const ssize_t count = ::read(link_fd, piece.data(), piece.size());
    if (count == 0) return;
    if (count < 0 && errno != EINTR) throw PeerLost(errno_text("read requests", errno));
    if (count > 0) reader_.feed({piece.data(), static_cast<std::size_t>(count)});
  }
}

void run_standalone(const PlantedOptions& options) {
  PlantedLoad load(options, static_cast<std::uint64_t>(::getpid()), steady_nanoseconds);
  for (std::int64_t step = 0; step < *options.standalone_steps; ++step) multiply_chain(load.next_step());
}

}  // namespace
}  // namespace regatta::testing

int main(int argc, char** argv) {
  using namespace regatta::testing;
  constexpr int exit_bad_input = 2;
  try {
    const PlantedOptions options = parse_planted_options({argv + 1, argv + argc});
    if (options.standalone_steps) {
      run_standalone(options);
    } else {
      PlantedWorker(options).serve();
    }
    return 0;
  } catch (const regatta::InputError& error) {
    std::cerr << "planted-worker: " << error.what() << "\n" << planted_usage;
    return exit_bad_input;
  } catch (const std::exception& error) {
    std::cerr << "planted-worker: " << error.what() << "\n";
    return 1;
  }
}
