#include "regatta/sweep/outcome.hpp"

#include "regatta/base/error.hpp"

namespace regatta::sweep {

namespace {

static_assert(failure_names.size() == static_cast<std::size_t>(FailureKind::device) + 1);
static_assert(status_names.size() == std::variant_size_v<Outcome>);
static_assert(verified_names.size() == static_cast<std::size_t>(Verified::other_weights) + 1);

template <std::size_t n>
const char* name_at(const std::array<const char*, n>& names, std::size_t at) {
  expect(at < n, "a state has a name");
  return names[at];
}

}  // namespace

std::string too_few_cores(std::int64_t needed, std::int64_t largest_slot) {
  return std::string(not_answerable) + "needs " + std::to_string(needed) + (needed == 1 ? " core" : " cores") +
         " on one slot; the largest slot of this job has " + std::to_string(largest_slot) +
         "; start with fewer ranks per host or lower `threads`";
}

const char* to_string(FailureKind kind) { return name_at(failure_names, static_cast<std::size_t>(kind)); }
const char* to_string(Verified verified) { return name_at(verified_names, static_cast<std::size_t>(verified)); }
const char* status_of(const Outcome& outcome) { return name_at(status_names, outcome.index()); }

std::string reason_of(const Outcome& outcome) {
  if (const auto* failed = std::get_if<Failed>(&outcome)) {
    const std::string kind = to_string(failed->kind);
    return failed->message.empty() ? kind : kind + ": " + failed->message;
  }
  if (const auto* skipped = std::get_if<Skipped>(&outcome)) return skipped->reason;
  return {};
}

}  // namespace regatta::sweep
