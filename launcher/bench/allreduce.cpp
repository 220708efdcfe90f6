#include "bench/allreduce.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <bit>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/bench.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/units.hpp"
#include "regatta/base/version.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::launcher {
namespace {

constexpr int usual_ranks = 2;
constexpr int most_ranks = 64;
constexpr int warm_up = 5;
constexpr double patience_seconds = 60;
constexpr std::uint64_t least_bytes = 4U << 10;
constexpr std::uint64_t most_bytes = 64U << 20;
constexpr std::uint64_t bytes_of_a_round = 2U << 30;

/// Integers, so that their sum is exact in any order.
float gradient(std::size_t rank, std::size_t element) { return static_cast<float>((element + rank) % 1021); }

void bind_this_thread(std::size_t rank) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  auto left = rank % static_cast<std::size_t>(CPU_COUNT(&allowed));
  int core = 0;
  while (!CPU_ISSET(core, &allowed) || left-- > 0) ++core;
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(core, &own);
  ::sched_setaffinity(0, sizeof own, &own);
}

bool sums_are_right(const exchange::Communicator& own) {
  for (std::size_t i = 0; i < own.arena().buckets[0].count; ++i) {
    float sum = 0;
    for (std::size_t rank = 0; rank < own.arena().ranks; ++rank) sum += gradient(rank, i);
    if (own.sums()[i] != sum) return false;
  }
  return true;
}

/// Runs the exchanges of one rank; returns the seconds of each.
std::vector<double> exchanges(exchange::Communicator& own, std::size_t rank, int repeats, std::barrier<>& together) {
  const std::size_t count = own.arena().buckets[0].count;
  for (std::size_t i = 0; i < count; ++i) own.gradients()[i] = gradient(rank, i);
  std::vector<double> seconds(static_cast<std::size_t>(repeats));
  together.arrive_and_wait();
  for (int i = -warm_up; i < repeats; ++i) {
    const double start = steady_seconds();
    own.ready(0);
    own.wait(0, patience_seconds);
    if (i >= 0) seconds[static_cast<std::size_t>(i)] = steady_seconds() - start;
  }
  expect(sums_are_right(own), "the ranks' gradients were summed");
  together.arrive_and_wait();  // nobody's memory goes while it is read
  return seconds;
}

double median_seconds(std::uint64_t bytes, std::size_t ranks) {
  const std::vector<std::size_t> tensors = {bytes / sizeof(float)};
  const exchange::Arena arena = exchange::make_arena(tensors, {.bytes = 0}, ranks);
  const exchange::Stop stop;
  std::vector<exchange::Member> members;
  std::vector<int> fds;
  for (std::size_t rank = 0; rank < ranks; ++rank) fds.push_back(members.emplace_back(arena).fd());
  std::vector<std::unique_ptr<exchange::Communicator>> group;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    exchange::Member own = std::move(members[rank]);  // its descriptor goes where it goes
    group.push_back(exchange::make_shared_memory_communicator(arena, rank, std::move(own), fds, stop.fd()));
  }
  const int repeats = static_cast<int>(std::clamp<std::uint64_t>(bytes_of_a_round / bytes, 16, 5000));
  std::barrier together(static_cast<std::ptrdiff_t>(ranks));
  std::vector<double> first;
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        bind_this_thread(rank);
        auto seconds = exchanges(*group[rank], rank, repeats, together);
        if (rank == 0) first = std::move(seconds);
      });
    }
  }
  return stats::median(first);
}

}  // namespace

AllreduceFound measure_allreduce(int ranks, int rounds) {
  AllreduceFound found;
  found.ranks = ranks > 0 ? ranks : usual_ranks;
  if (found.ranks > most_ranks || !std::has_single_bit(static_cast<unsigned>(found.ranks)))
    throw InputError(fmt::format("--ranks {} with --allreduce (sums follow a binary tree); name 1, 2, 4, ... {}",
                                 found.ranks, most_ranks));
  for (std::uint64_t bytes = least_bytes; bytes <= most_bytes; bytes *= 4) found.rows.push_back({bytes, {}});
  for (int round = 0; round < rounds; ++round) {
    for (AllreduceRow& row : found.rows)
      row.seconds.push_back(median_seconds(row.bytes, static_cast<std::size_t>(found.ranks)));
  }
  return found;
}

double bus_bandwidth(std::uint64_t bytes, int ranks, double seconds) {
  return 2.0 * (ranks - 1) / ranks * static_cast<double>(bytes) / seconds;
}

std::string to_text(const AllreduceFound& found) {
  std::string text =
      fmt::format("{:>10} {:>10}  {:^22} {:>12} {:>12}\n", "gradients", "median", "range", "algbw", "busbw");
  for (const AllreduceRow& row : found.rows) {
    const Spread seconds = spread_of(row.seconds);
    text += fmt::format("{:>10} {:>10}  {:^22} {:>7.2f} GB/s {:>7.2f} GB/s\n", format_size(row.bytes),
                        format_duration(seconds.median),
                        fmt::format("{} to {}", format_duration(seconds.low), format_duration(seconds.high)),
                        static_cast<double>(row.bytes) / seconds.median / 1e9,
                        bus_bandwidth(row.bytes, found.ranks, seconds.median) / 1e9);
  }
  const std::size_t rounds = found.rows.front().seconds.size();
  return text + fmt::format("{} ranks in memory that they share, {} round{}; all sums were checked.\n", found.ranks,
                            rounds, rounds == 1 ? "" : "s");
}

std::string to_json(const AllreduceFound& found) {
  nlohmann::ordered_json document = {{"regatta", regatta_version()},
                                     {"ranks", found.ranks},
                                     {"rounds", found.rows.front().seconds.size()},
                                     {"allreduce", nlohmann::ordered_json::array()}};
  for (const AllreduceRow& row : found.rows) {
    const Spread seconds = spread_of(row.seconds);
    document["allreduce"].push_back({{"bytes", row.bytes},
                                     {"seconds", seconds.median},
                                     {"low", seconds.low},
                                     {"high", seconds.high},
                                     {"algbw", static_cast<double>(row.bytes) / seconds.median},
                                     {"busbw", bus_bandwidth(row.bytes, found.ranks, seconds.median)}});
  }
  return document.dump() + '\n';
}

}  // namespace regatta::launcher
