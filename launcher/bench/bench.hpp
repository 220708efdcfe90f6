// `regatta bench`: the orchestrator measured by itself, by real runs in a scratch folder and by its parts alone.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "bench/figures.hpp"

namespace regatta::launcher {

struct BenchOptions {
  int ranks = 0;           ///< 0: 2 for rates, 3 where ranks start or idle
  bool quick = false;      ///< one round, and short ones
  bool allreduce = false;  ///< the exchange of gradients in place of the orchestrator
  bool nodes = false;      ///< what passes between the nodes of this job
};

/// What the rounds gave for each figure, by Figure.
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

/// One JSON document (docs/bench.md).
std::string to_json(const BenchFound& found);

}  // namespace regatta::launcher
