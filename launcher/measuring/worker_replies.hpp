// What a worker's errors mean for its arm, and when it was asked.
#pragma once

#include "children/worker_pool.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/outcome.hpp"

namespace regatta::launcher {

/// How an arm fails of which an engine reports this.
sweep::FailureKind kind_of(const protocol::Error& error);

/// Throws ArmEnded: an error that the engine reports is final, because the same request would give the same answer.
[[noreturn]] void end_arm(const protocol::Error& error);

/// When what is asked next was sent, on the steady clock, in seconds.
double sent_at(const Worker& worker);

}  // namespace regatta::launcher
