// A run over the lives of its batch job: each life is a session of the journal, or several.
#pragma once

#include <cstddef>
#include <optional>

#include "regatta/results/journal.hpp"

namespace regatta::results {

/// How many sessions in a row, up to the last one, recorded nothing new: no result, no failed attempt, and no block
/// that took its rank down. Nobody may be writing the journal now.
std::size_t fruitless_sessions(const Scan& journal);

/// When the first session of the last run began, by the wall clock, if that was a `--rerun failed`.
std::optional<double> rerun_since(const Scan& journal);

}  // namespace regatta::results
