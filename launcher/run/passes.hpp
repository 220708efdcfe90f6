// What follows in the same command once every block was measured: passes over some of them, each in fresh processes.
#pragma once

#include "run/measure_job.hpp"

namespace regatta::launcher {

/// The best of many cells again, then what is undecided, as far as `measure.total` goes. Nothing while blocks are
/// missing.
MeasureEnd measure_further(const RunArguments& arguments, const Job& job);

}  // namespace regatta::launcher
