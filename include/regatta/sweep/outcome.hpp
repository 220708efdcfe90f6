// How a trial ended.
#pragma once

#include <array>
#include <string>
#include <variant>

namespace regatta::sweep {

enum class FailureKind {
  crashed,         ///< killed by a signal, or exited without a word
  timed_out,       ///< no answer before limits.trial_timeout
  out_of_memory,   ///< beyond limits.memory, or killed by the kernel for memory
  protocol,        ///< nonsense, or more than allowed, on the worker's link
  flooded,         ///< wrote more to its log than is kept
  reported,        ///< the engine itself reported an error
  could_not_start  ///< the program or interpreter could not be started
};

/// Every kind, in the enum's order.
inline constexpr std::array failure_kinds = {
    FailureKind::crashed, FailureKind::timed_out, FailureKind::out_of_memory,  FailureKind::protocol,
    FailureKind::flooded, FailureKind::reported,  FailureKind::could_not_start};

struct Finished {};
struct Failed {
  FailureKind kind;
  std::string message;
};
struct Skipped {
  std::string reason;
};
struct Lost {};  ///< open: it has no result yet, because it waits, runs, or was cut off

using Outcome = std::variant<Finished, Failed, Skipped, Lost>;

const char* to_string(FailureKind kind);
/// "finished", "failed", "skipped" or "open".
const char* status_of(const Outcome& outcome);
/// The failure's kind and message, the skip's reason, or nothing.
std::string reason_of(const Outcome& outcome);

}  // namespace regatta::sweep
