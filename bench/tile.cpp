// The throughput that the register tile of the matrix product keeps up when all it reads stays in the first-level
// cache. It is measured with equal and with random numbers, which take more power, so that a core may clock lower.
// Larger products can hope for no more.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/random.hpp"

namespace {

using namespace regatta;
using engine::cpu::GemmView;
using engine::cpu::KernelTable;

constexpr int kRounds = 200;
constexpr int kAtOnce = 20;             // products between two looks at the clock
constexpr double kSliceSeconds = 3e-3;  // longer than a clock takes to change
constexpr std::int64_t kDepth = 192;

struct alignas(64) Line {  // a line of the cache: the memory of sessions begins at one
  float of[16];
};
using Lines = std::vector<Line>;

struct Product {
  std::string name;
  Lines a, b, c;
  std::vector<double> flops_per_second;  ///< operations a second in each round
};

Product product_of(const KernelTable& kernels, std::string name, bool random) {
  const auto floats = [&](std::int64_t count, std::uint64_t seed) {
    Lines lines(static_cast<std::size_t>(count + 15) / 16);
    std::uint64_t place = 0;
    for (Line& line : lines) {
      for (float& value : line.of) value = random ? random_unit(seed, place++) - 0.5F : 1.0F;
    }
    return lines;
  };
  const std::int64_t rows = kernels.tile_rows, columns = kernels.panel;
  return {std::move(name), floats(rows * kDepth, 1), floats(columns * kDepth, 2), floats(rows * columns, 3), {}};
}

void run_slice(const KernelTable& kernels, Product& product) {
  const GemmView view{.m = kernels.tile_rows,
                      .n = kernels.panel,
                      .k = kDepth,
                      .a = product.a.front().of,
                      .a_row = kDepth,
                      .a_k = 1,
                      .b = product.b.front().of,
                      .b_k = kernels.panel,
                      .b_panel = kernels.panel * kDepth,
                      .c = product.c.front().of,
                      .c_row = kernels.panel};
  const double begin = steady_seconds();
  double seconds = 0, flop = 0;
  while (seconds < kSliceSeconds) {
    for (int i = 0; i < kAtOnce; ++i) kernels.gemm(view);
    flop += kAtOnce * 2.0 * static_cast<double>(view.m * view.n * view.k);
    seconds = steady_seconds() - begin;
  }
  product.flops_per_second.push_back(flop / seconds);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

}  // namespace

int main() {
  const KernelTable& kernels = engine::cpu::kernels_for(engine::Isa::automatic);
  std::vector<Product> products{product_of(kernels, "equal numbers", false),
                                product_of(kernels, "random numbers", true)};
  for (int round = 0; round < kRounds; ++round) {
    for (Product& product : products) run_slice(kernels, product);
  }
  fmt::print("{} tile of {} x {}, {} terms, in the first-level cache\n", kernels.isa, kernels.tile_rows, kernels.panel,
             kDepth);
  for (const Product& product : products) {
    fmt::print("{:16} {:6.1f} GFLOP/s\n", product.name, median(product.flops_per_second) * 1e-9);
  }
  return 0;
}
