// Every kind of failure, for reading names back and for listing them in the file.
#pragma once

#include <array>

#include "regatta/sweep/outcome.hpp"

namespace regatta::results {

inline constexpr std::array failure_kinds = {sweep::FailureKind::crashed,        sweep::FailureKind::timed_out,
                                             sweep::FailureKind::out_of_memory,  sweep::FailureKind::protocol,
                                             sweep::FailureKind::flooded,        sweep::FailureKind::reported,
                                             sweep::FailureKind::could_not_start};

}  // namespace regatta::results
