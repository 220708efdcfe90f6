#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "native.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::worker {
namespace {

constexpr double flop_seconds = 0.04;
constexpr std::int64_t turns_per_piece = 50'000;  // below 0.1 ms: some piece runs undisturbed on a busy machine, too
constexpr int windows = 5;
constexpr double window_seconds = 0.012;
constexpr std::size_t least_buffer_bytes = std::size_t{64} << 20;
constexpr std::size_t most_buffer_bytes = std::size_t{512} << 20;
constexpr std::size_t caches_per_buffer = 4;  // in caches of the last level: little of the buffer stays in them
constexpr std::size_t read_piece_bytes = std::size_t{4} << 20;

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) throw InternalError(errno_text("sched_getaffinity", errno));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Runs `work(i)` on so many threads, each on a core of its own as far as there are enough; all begin together.
void run_together(std::int64_t threads, const std::function<void(std::size_t)>& work) {
  const std::vector<int> cpus = allowed_cpus();
  std::atomic<std::int64_t> missing = threads;
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < static_cast<std::size_t>(threads); ++i) {
    running.emplace_back([&, i] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpus[i % cpus.size()], &one);
      ::sched_setaffinity(0, sizeof one, &one);  // refused, it only measures less well
      --missing;
      while (missing > 0) std::this_thread::yield();
      work(i);
    });
  }
  for (std::thread& each : running) each.join();
}

// Each thread's fastest piece counts: a peak is what nobody disturbed.
double peak_flops(const FmaLoop& loop, std::int64_t threads) {
  std::vector<double> best(static_cast<std::size_t>(threads));
  std::atomic<float> kept = 0;
  run_together(threads, [&](std::size_t i) {
    for (const Deadline end = Deadline::after(flop_seconds); !end.passed();) {
      const double start = steady_seconds();
      kept = loop.run(turns_per_piece);
      const double seconds = steady_seconds() - start;
      best[i] = std::max(best[i], static_cast<double>(turns_per_piece) * loop.flop_per_turn / seconds);
    }
  });
  return std::accumulate(best.begin(), best.end(), 0.0);
}

// As the kernel tells it ("32768K"); the C library's answer is that of the whole socket on some processors.
std::size_t last_cache_bytes() {
  std::size_t kibibytes = 0;
  std::ifstream("/sys/devices/system/cpu/cpu0/cache/index3/size") >> kibibytes;
  return kibibytes << 10;
}

/// Memory that no cache holds, with every page in place.
class Buffer {
 public:
  explicit Buffer(std::int64_t threads)
      : bytes_(std::max(std::clamp(caches_per_buffer * last_cache_bytes(), least_buffer_bytes, most_buffer_bytes),
                        2 * read_piece_bytes * static_cast<std::size_t>(threads))) {
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw InternalError(errno_text("map memory to calibrate with", errno));
    ::madvise(memory, bytes_, MADV_HUGEPAGE);
    data_ = static_cast<char*>(memory);
    std::memset(data_, 1, bytes_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { ::munmap(data_, bytes_); }

  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  char* data_ = nullptr;
};

/// One thread's part of a buffer, and where it is in it.
struct Share {
  char* data;
  std::size_t bytes;
  std::size_t at = 0;
};

std::vector<Share> shares_of(const Buffer& buffer, std::int64_t threads) {
  const std::size_t each = buffer.bytes() / static_cast<std::size_t>(threads) / read_piece_bytes * read_piece_bytes;
  std::vector<Share> shares;
  for (std::int64_t i = 0; i < threads; ++i)
    shares.push_back({buffer.data() + static_cast<std::size_t>(i) * each, each});
  return shares;
}

std::size_t read_piece(Share& share) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(share.data + share.at);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < read_piece_bytes / sizeof *words; ++i) sum += words[i];
  asm volatile("" : : "r"(sum));
  share.at = (share.at + read_piece_bytes) % share.bytes;
  return read_piece_bytes;
}

std::size_t copy_piece(Share& share) {
  const std::size_t half = share.bytes / 2;
  std::memcpy(share.data + half, share.data, half);
  asm volatile("" : : "r"(share.data) : "memory");
  return half;
}

/// Bytes per second of all threads together, in the best of some windows.
double best_window(std::vector<Share> shares, std::size_t (*piece)(Share&)) {
  double best = 0;
  for (int window = 0; window < windows; ++window) {
    std::vector<double> rates(shares.size());
    run_together(static_cast<std::int64_t>(shares.size()), [&](std::size_t i) {
      const double start = steady_seconds();
      double bytes = 0;
      for (const Deadline end = Deadline::after(window_seconds); bytes == 0 || !end.passed();)
        bytes += static_cast<double>(piece(shares[i]));
      rates[i] = bytes / (steady_seconds() - start);
    });
    best = std::max(best, std::accumulate(rates.begin(), rates.end(), 0.0));
  }
  return best;
}

}  // namespace

std::string calibrate(std::int64_t threads) {
  const auto loop = widest_fma_loop();
  const Buffer buffer(threads);
  const std::vector<Share> shares = shares_of(buffer, threads);
  std::ostringstream json;
  json << R"({"threads": )" << threads << R"(, "isa": ")" << (loop ? loop->isa : "") << '"';
  const auto field = [&](const char* name, std::optional<double> value) {
    json << ", \"" << name << "\": ";
    value ? json << *value : json << "null";
  };
  const auto peak = [&](std::int64_t busy) { return loop ? std::optional(peak_flops(*loop, busy)) : std::nullopt; };
  field("core_peak_flops_per_second", peak(1));
  field("peak_flops_per_second", peak(threads));
  field("memory_bytes_per_second", best_window(shares, read_piece));
  field("copy_bytes_per_second", best_window(shares, copy_piece));
  json << "}\n";
  return json.str();
}

}  // namespace regatta::worker
