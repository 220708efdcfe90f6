// How a trial ended, as the columns of every table of results say it.
#pragma once

#include <string>

#include "regatta/sweep/outcome.hpp"

namespace regatta::results {

/// The column "failure": the kind of failure, or "none".
std::string failure_of(const sweep::Outcome& outcome);

/// The column "reason": the failure's message without its kind, the skip's reason, or nothing.
std::string message_of(const sweep::Outcome& outcome);

}  // namespace regatta::results
