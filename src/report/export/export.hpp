// Rows of the result file, the JSON document, CSV, traces, event files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "report/export/json_values.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {

// csv.cpp: The figures as comma separated values: one line for each trial, with its ratio if it has one.

/// At most `most_rows` trials below a line of names; times in seconds, empty where there is none.
std::string trials_csv(const View& view, std::size_t most_rows);

// json.cpp: The JSON document of a view that stands already.

std::string json(const View& view);

// learning_json.cpp: The findings of a training sweep, as JSON.

/// Null for a sweep that trains nothing (docs/reference/report-json.md).
Json learning_object(const View& view);

// ranks_json.cpp: The gain of more ranks, as JSON.

/// One group of trials that differ in ranks and shards (docs/reference/report-json.md).
Json ranks_object(const View& view, const analysis::RankScaling& group);

// trace_clock.cpp: The offset between a host's steady clock, which stamps samples, and its wall clock, which stamps
// blocks.

struct BlockTimes {
  std::int32_t host = -1;
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  double first_seconds = std::numeric_limits<double>::infinity();  ///< steady clock at its first sample
  double last_seconds = -std::numeric_limits<double>::infinity();  ///< the same clock at the end of its last sample
};

/// For each block the offset from steady seconds to wall seconds. The samples of a block lie between its start and
/// its end, which bounds the offset; blocks of one host share it as long as one value fits all (a restart of the
/// machine or a step of its wall clock begins anew). The largest value that fits is taken: a block ends soon after its
/// last sample, but begins long before its first. 0 for a block without samples.
std::vector<double> offsets_of(const std::vector<BlockTimes>& blocks);

}  // namespace regatta::report
