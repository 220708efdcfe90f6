// How pairs of processes scattered, as the records of a run and the user's cache keep it.
#pragma once

#include <string>

#include "regatta/stats/pair_spreads.hpp"

namespace regatta::results {

/// A JSON list with one object for each two classes of processes; empty where nothing is known.
std::string to_json(const stats::SpreadPool& spreads);

/// Throws InputError for what to_json() would not write.
stats::SpreadPool parse_spreads(const std::string& json);

}  // namespace regatta::results
