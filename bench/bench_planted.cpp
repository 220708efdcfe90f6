// Two benchmarks that differ by a known number of multiplies, as Google Benchmark measures them.
//
// bench_planted A B [options of Google Benchmark]: a step of "a" is A dependent multiplies, one of "b" is B.
#include <benchmark/benchmark.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "support/multiply_chain.hpp"

namespace {

constexpr int exit_bad_input = 2;

bool register_chain(const char* name, std::string_view count) {
  std::int64_t multiplies = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), multiplies);
  if (error != std::errc() || end != count.data() + count.size() || multiplies < 1) return false;
  benchmark::RegisterBenchmark(name, [multiplies](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(regatta::testing::multiply_chain(multiplies));
  })->UseRealTime();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // takes its own options out
  if (argc != 3 || !register_chain("a", argv[1]) || !register_chain("b", argv[2])) {
    std::fputs("usage: bench_planted MULTIPLIES_A MULTIPLIES_B [options of Google Benchmark]\n", stderr);
    return exit_bad_input;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
