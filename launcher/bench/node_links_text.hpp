// What `regatta bench --nodes` prints.
#pragma once

#include <string>

#include "ranks/node_links.hpp"

namespace regatta::launcher {

/// A table: a line for each pair of nodes, medians with their ranges.
std::string to_text(const NodeLinks& found);

/// One JSON document (docs/bench.md).
std::string to_json(const NodeLinks& found);

}  // namespace regatta::launcher
