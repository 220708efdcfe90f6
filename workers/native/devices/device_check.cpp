#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "devices/devices.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::worker {
namespace {

constexpr double rate_seconds = 0.25;              // for each rate
constexpr double shortest_product_seconds = 0.01;  // smaller products tell how fast they are issued
constexpr std::int64_t largest_edge = 8192;
constexpr std::int64_t smallest_edge = 128;
constexpr std::int64_t most_copied_bytes = std::int64_t{64} << 20;
constexpr std::int64_t memory_part = 8;

/// Memory of the device.
class Piece {
 public:
  Piece(engine::Backend& backend, std::int64_t bytes) : backend_(backend), memory_(backend.allocate(bytes)) {}
  ~Piece() { backend_.release(memory_); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  [[nodiscard]] void* get() const { return memory_; }

 private:
  engine::Backend& backend_;
  void* memory_;
};

double seconds_of(engine::Backend& backend, const auto& work) {
  const double start = steady_seconds();
  work();
  backend.synchronize(backend.event());
  return steady_seconds() - start;
}

/// The shortest of some turns, after one that does not count.
double best_seconds(engine::Backend& backend, const auto& work) {
  seconds_of(backend, work);
  double best = seconds_of(backend, work);
  for (const Deadline end = Deadline::after(rate_seconds); !end.passed();)
    best = std::min(best, seconds_of(backend, work));
  return best;
}

/// A product of two squares of ones, so that each element of the result is its edge.
class Product {
 public:
  Product(engine::Backend& backend, std::int64_t edge)
      : backend_(backend),
        edge_(edge),
        spec_(engine::MatMul{edge, edge, edge}),
        a_(backend, engine::floats(edge * edge)),
        b_(backend, engine::floats(edge * edge)),
        c_(backend, engine::floats(edge * edge)),
        scratch_(backend, std::max<std::int64_t>(engine::kAlignment, backend.scratch_bytes(spec_))) {
    const std::vector<float> ones(static_cast<std::size_t>(edge * edge), 1.0F);
    for (void* memory : {a_.get(), b_.get()}) backend.write(memory, ones.data(), engine::floats(edge * edge));
    std::array<void*, engine::kOperands> memory{a_.get(), b_.get(), c_.get()};
    memory[engine::kScratch] = scratch_.get();
    bound_ = backend.bind(spec_, memory);
  }

  void issue() {
    backend_.begin_calls();
    for (int i = 0; i < bound_.count; ++i) backend_.run(bound_.calls.at(static_cast<std::size_t>(i)));
    backend_.end_calls();
  }

  [[nodiscard]] double flop() const { return 2.0 * std::pow(static_cast<double>(edge_), 3); }

  void expect_right() {
    const auto* result = static_cast<const float*>(backend_.host_view(c_.get(), engine::floats(edge_ * edge_)));
    const auto edge = static_cast<float>(edge_);
    if (std::all_of(result, result + edge_ * edge_, [edge](float value) { return value == edge; })) return;
    throw DeviceError(
        "the device computes products wrongly (no result of it can be believed); look at its errors with nvidia-smi, "
        "and have it replaced");
  }

 private:
  engine::Backend& backend_;
  std::int64_t edge_;
  engine::OpSpec spec_;
  Piece a_, b_, c_, scratch_;
  engine::BoundCalls bound_;
};

/// Larger ones until a product takes long enough to tell the device's rate.
double product_rate(engine::Backend& backend, std::int64_t memory_bytes) {
  double rate = 0;
  for (std::int64_t edge = smallest_edge; edge <= largest_edge; edge *= 2) {
    if (edge > smallest_edge && 4 * engine::floats(edge * edge) > memory_bytes / memory_part) break;
    Product product(backend, edge);
    seconds_of(backend, [&] { product.issue(); });
    product.expect_right();
    const double seconds = seconds_of(backend, [&] { product.issue(); });
    if (seconds < shortest_product_seconds && edge < largest_edge) {
      rate = product.flop() / seconds;
      continue;
    }
    return product.flop() / best_seconds(backend, [&] { product.issue(); });
  }
  return rate;
}

}  // namespace

DeviceRates check_device(engine::Backend& backend, std::int64_t memory_bytes) {
  const std::int64_t bytes = std::clamp(memory_bytes / memory_part, std::int64_t{1} << 16, most_copied_bytes);
  DeviceRates rates;
  {
    const Piece piece(backend, bytes);
    const std::vector<char> host(static_cast<std::size_t>(bytes), 1);
    const auto write = [&] { backend.write(piece.get(), host.data(), bytes); };
    rates.write_bytes_per_second = static_cast<double>(bytes) / best_seconds(backend, write);
    const auto read = [&] { static_cast<void>(backend.host_view(piece.get(), bytes)); };
    rates.read_bytes_per_second = static_cast<double>(bytes) / best_seconds(backend, read);
  }
  rates.product_flops_per_second = product_rate(backend, memory_bytes);
  return rates;
}

}  // namespace regatta::worker
