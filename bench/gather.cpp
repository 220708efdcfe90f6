// The yardstick of the loader: rows of a file copied one after the other, by one thread, in an order that is made
// before. usage: bench_gather BATCH SECONDS DATA [LABELS]; prints {"seconds_per_batch": s}
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "regatta/base/clock.hpp"
#include "regatta/data/array.hpp"
#include "regatta/data/formats.hpp"

namespace {

using regatta::data::Array;

constexpr std::int64_t batches_between_looks = 64;

struct Target {
  const Array* array;
  std::size_t bytes;
  std::vector<std::byte> batch;
};

void copy_batch(std::vector<Target>& targets, const std::uint32_t* rows, std::size_t count) {
  for (Target& target : targets) {
    std::byte* out = target.batch.data();
    for (std::size_t i = 0; i < count; ++i, out += target.bytes)
      std::memcpy(out, target.array->first + rows[i] * target.array->stride_bytes, target.bytes);
  }
}

double seconds_per_batch(std::vector<Target>& targets, std::size_t count, double seconds) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(targets.front().array->count));
  std::iota(rows.begin(), rows.end(), 0U);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(0));
  std::size_t at = 0;
  std::int64_t batches = 0;
  const double begin = regatta::steady_seconds();
  double taken = 0;
  do {
    for (std::int64_t i = 0; i < batches_between_looks; ++i, ++batches) {
      if (at + count > rows.size()) at = 0;
      copy_batch(targets, rows.data() + at, count);
      at += count;
    }
    taken = regatta::steady_seconds() - begin;
  } while (taken < seconds);
  return taken / static_cast<double>(batches);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fputs("usage: bench_gather BATCH SECONDS DATA [LABELS]\n", stderr), 2;
  const auto count = static_cast<std::size_t>(std::atoll(argv[1]));
  const double seconds = std::atof(argv[2]);
  std::vector<Array> arrays;
  for (int i = 3; i < argc; ++i)
    for (Array& array : regatta::data::open_data_file(argv[i], {})) arrays.push_back(std::move(array));
  std::vector<Target> targets;
  for (const Array& array : arrays) {
    const std::size_t bytes = regatta::data::row_bytes(array);
    targets.push_back({&array, bytes, std::vector<std::byte>(bytes * count)});
  }
  seconds_per_batch(targets, count, seconds / 8);  // pages, caches
  fmt::print("{{\"seconds_per_batch\": {:.9g}}}\n", seconds_per_batch(targets, count, seconds));
}
