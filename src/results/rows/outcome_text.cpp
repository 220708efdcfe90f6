#include "regatta/results/outcome_text.hpp"

namespace regatta::results {

std::string failure_of(const sweep::Outcome& outcome) {
  const auto* failed = std::get_if<sweep::Failed>(&outcome);
  return failed == nullptr ? "none" : sweep::to_string(failed->kind);
}

std::string message_of(const sweep::Outcome& outcome) {
  if (const auto* failed = std::get_if<sweep::Failed>(&outcome)) return failed->message;
  if (const auto* skipped = std::get_if<sweep::Skipped>(&outcome)) return skipped->reason;
  return {};
}

}  // namespace regatta::results
