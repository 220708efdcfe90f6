// How a verb of an arm failed in one rank, as its gang is told.
#pragma once

#include <string>
#include <vector>

#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

/// Tells the exception that is being handled: ArmEnded, WorkerDied or GivenUp. Any other one goes on.
protocol::GangFailed failure_now(const protocol::GangPlace& place);

/// Whether this failure is rather the cause of both: what one rank's causes in others is none, even if it was told
/// earlier, or by the clock of another node.
bool comes_before(const protocol::GangFailed& a, const protocol::GangFailed& b);

/// By rank: Prepared::arithmetic. Throws ArmEnded where two differ: the bits of a result would depend on which rank
/// takes which samples.
void require_one_arithmetic(const std::vector<std::string>& of_ranks);

}  // namespace regatta::launcher
