// How an attempt at a block ends for the coordinator.
#pragma once

#include <variant>

#include "regatta/protocol/messages.hpp"

namespace regatta::measure {

/// The result, or why there is none: an attempt that failed, or a block that was given back undone.
using BlockOutcome = std::variant<protocol::BlockResult, protocol::AttemptFailed, protocol::GivenBack>;

}  // namespace regatta::measure
