// The sweep file that results came from, read again.
#pragma once

#include <optional>

#include "regatta/results/tables.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {

/// Nothing if it was written for another version of the reader.
std::optional<sweep::Sweep> spec_of(const results::Results& results);

}  // namespace regatta::analysis
