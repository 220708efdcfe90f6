#include "regatta/sweep/outcome.hpp"

#include "regatta/base/error.hpp"

namespace regatta::sweep {

const char* to_string(FailureKind kind) {
  switch (kind) {
    case FailureKind::crashed:
      return "crashed";
    case FailureKind::timed_out:
      return "timed_out";
    case FailureKind::out_of_memory:
      return "out_of_memory";
    case FailureKind::protocol:
      return "protocol";
    case FailureKind::flooded:
      return "flooded";
    case FailureKind::reported:
      return "reported";
    case FailureKind::could_not_start:
      return "could_not_start";
  }
  throw InternalError("unknown kind of failure");
}

const char* status_of(const Outcome& outcome) {
  if (std::holds_alternative<Finished>(outcome)) return "finished";
  if (std::holds_alternative<Failed>(outcome)) return "failed";
  if (std::holds_alternative<Skipped>(outcome)) return "skipped";
  return "open";
}

std::string reason_of(const Outcome& outcome) {
  if (const auto* failed = std::get_if<Failed>(&outcome)) {
    const std::string kind = to_string(failed->kind);
    return failed->message.empty() ? kind : kind + ": " + failed->message;
  }
  if (const auto* skipped = std::get_if<Skipped>(&outcome)) return skipped->reason;
  return {};
}

}  // namespace regatta::sweep
