// From how a process ended to what a person reads.
#pragma once

#include <cstdint>
#include <string>

#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/outcome.hpp"

namespace regatta::launcher {

/// Kind and message of an unexplained end: "killed by signal 11 (Segmentation fault)".
struct Death {
  sweep::FailureKind kind;
  std::string message;
};

/// `memory_bytes` is the limit it ran under (0: none), `oom_kills` how often the kernel killed for memory in its
/// control group since it was started.
Death cause_of_death(const protocol::Exited& exit, std::uint64_t memory_bytes, std::uint64_t oom_kills);

/// The last lines of a log, for error messages; empty if there are none.
std::string log_tail(const std::string& path);

}  // namespace regatta::launcher
