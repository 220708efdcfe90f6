// A machine and its abilities as JSON: in the journal, in an agent's first message and in the file that remembers a
// calibration.
#pragma once

#include <string>

#include "regatta/results/calibration.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/pair_spreads.hpp"

namespace regatta::results {

/// One line; a NaN becomes null.
std::string to_json(const Host& host);
std::string to_json(const Calibration& calibration);
std::string to_json(const DeviceRates& rates);

// These throw InputError naming what is missing or of another type.
Host parse_host(const std::string& json);
Calibration parse_calibration(const std::string& json);
DeviceRates parse_device_rates(const std::string& json);

/// How pairs of processes scattered: a JSON list with one object for each two classes of processes; empty where nothing
/// is known.
std::string to_json(const stats::SpreadPool& spreads);

/// Throws InputError for what to_json() would not write.
stats::SpreadPool parse_spreads(const std::string& json);

}  // namespace regatta::results
