// `regatta bench`: the orchestrator measured by itself, by real runs in a scratch folder and by its parts alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/figures.hpp"
#include "ranks/node_links.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

struct BenchOptions {
  int ranks = 0;           ///< 0: 2 for rates, 3 where ranks start or idle
  bool quick = false;      ///< one round, and short ones
  bool allreduce = false;  ///< the exchange of gradients in place of the orchestrator
  bool nodes = false;      ///< the links between the nodes of this job
};

/// The values of each figure over the rounds, by Figure.
struct BenchFound {
  int rate_ranks = 2;
  int start_ranks = 3;
  int idle_ranks = 3;
  std::array<std::vector<double>, figure_table.size()> values;
};

/// Tells `progress` what is measured next. Throws InputError for options that make no sense and where this process is
/// a rank of somebody's job, Stopped, and InternalError where a run of its own fails.
BenchFound measure_orchestrator(const BenchOptions& options, const std::function<void(const std::string&)>& progress);

/// The command: progress on stderr, the table or the document on stdout. 75 if it was asked to stop.
int bench(const BenchOptions& options, bool json);

/// A table: median and range of each figure, and its aim.
std::string to_text(const BenchFound& found);

/// One JSON document (docs/reference/bench.md).
std::string to_json(const BenchFound& found);

// durable_figures.cpp: Coordinator, journal and sync thread alone, in this process: results that agents hand in as
// fast as they are taken.

/// Results a second, from the first one handed in until the last is acknowledged as durable: `agents` of them, each
/// with at most as many unacknowledged ones as an agent has. Every sync of a file takes so much longer. The folder is
/// new.
double durable_rate(const sweep::Sweep& sweep, const sweep::Plan& plan, const std::filesystem::path& folder,
                    std::uint32_t agents, double slower_sync_seconds);

// node_links_text.cpp: The output of `regatta bench --nodes`.

/// A table: a line for each pair of nodes, medians with their ranges.
std::string to_text(const NodeLinks& found);

/// One JSON document (docs/reference/bench.md).
std::string to_json(const NodeLinks& found);

// scheduler_load.cpp: The scheduler alone: simulated agents of three kinds, 8 on a node, trials in blocks of 4 of
// several lengths, which are expected wrongly, a tenth of them for groups of 2 to 8 ranks, 2 % unexplained deaths,
// and a drain near the end. Longest first, and nothing that would not end in time.

struct SchedulerLoad {
  std::uint32_t agents = 0;
  std::uint32_t trials = 0;
  std::uint64_t decisions = 0;  ///< grants, conclusions and dismissals
  double seconds = 0;           ///< in the scheduler
};

SchedulerLoad schedule_all(std::uint32_t agents, std::uint32_t trials);

// The median and range of a figure over its rounds.

struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
};

inline Spread spread_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return {stats::median(values), low, high};
}

}  // namespace regatta::launcher
