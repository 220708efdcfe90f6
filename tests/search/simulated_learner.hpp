// Training of digits without training: 40 configurations as runs of them look, until a table of real runs takes its
// place.
#pragma once

#include "table.hpp"

namespace regatta::search::testing {

/// Ten learning rates of four widths: low ones do not get there in time, high ones start fast, end lower and diverge.
/// Each seed draws its own validation part of 287 samples; all share a test part of 360.
Table simulated_table();

}  // namespace regatta::search::testing
