// `regatta bench --allreduce`: how fast ranks on this host sum their gradients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::launcher {

/// One size of a bucket, over all rounds.
struct AllreduceRow {
  std::uint64_t bytes = 0;
  std::vector<double> seconds;  ///< one exchange: of each round the median
};

struct AllreduceFound {
  int ranks = 2;
  std::vector<AllreduceRow> rows;
};

/// A thread for each rank, on a core of its own as far as there are some; `ranks` 0 is 2. All sums are checked: they
/// are exact in any order. Throws InputError for a number of ranks that no tree has, InternalError for a wrong sum.
AllreduceFound measure_allreduce(int ranks, int rounds);

/// Bytes a second through each rank, as nccl-tests defines it (doc/PERFORMANCE.md): 2 (n - 1) / n * bytes / seconds.
double bus_bandwidth(std::uint64_t bytes, int ranks, double seconds);

std::string to_text(const AllreduceFound& found);
/// One JSON document (docs/reference/bench.md).
std::string to_json(const AllreduceFound& found);

}  // namespace regatta::launcher
