#include "regatta/sweep/outcome.hpp"

#include "regatta/base/error.hpp"

namespace regatta::sweep {

namespace {

static_assert(failure_names.size() == static_cast<std::size_t>(FailureKind::rank_lost) + 1);
static_assert(skip_names.size() == static_cast<std::size_t>(SkipKind::not_answerable) + 1);
static_assert(status_names.size() == std::variant_size_v<Outcome>);
static_assert(verified_names.size() == static_cast<std::size_t>(Verified::alone) + 1);
static_assert(why_stopped_names.size() == static_cast<std::size_t>(WhyStopped::one_pair) + 1);

template <std::size_t n>
const char* name_at(const std::array<const char*, n>& names, std::size_t at) {
  expect(at < n, "a state has a name");
  return names[at];
}

std::string plural(std::int64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

bool may_run_elsewhere(SkipKind kind) { return kind != SkipKind::unsupported; }

Skipped too_few_cores(std::int64_t needed, std::int64_t largest_slot) {
  return {"needs " + plural(needed, "core") + " on one slot; the largest slot of this job has " +
              std::to_string(largest_slot) + "; start with fewer ranks per host or lower `threads`",
          SkipKind::not_answerable};
}

Skipped too_few_ranks(std::int64_t needed, std::int64_t cores_each, std::int64_t slots) {
  return {"needs " + plural(needed, "rank") + " of " + plural(cores_each, "core") + " at once; this job has " +
              plural(slots, "slot") + " of that size; start with more ranks or lower `ranks`",
          SkipKind::too_few_ranks};
}

const char* to_string(FailureKind kind) { return name_at(failure_names, static_cast<std::size_t>(kind)); }
const char* to_string(SkipKind kind) { return name_at(skip_names, static_cast<std::size_t>(kind)); }
const char* to_string(Verified verified) { return name_at(verified_names, static_cast<std::size_t>(verified)); }
const char* to_string(WhyStopped why) { return name_at(why_stopped_names, static_cast<std::size_t>(why)); }
const char* status_of(const Outcome& outcome) { return name_at(status_names, outcome.index()); }

std::string reason_of(const Outcome& outcome) {
  if (const auto* failed = std::get_if<Failed>(&outcome)) {
    const std::string kind = to_string(failed->kind);
    return failed->message.empty() ? kind : kind + ": " + failed->message;
  }
  const auto* skipped = std::get_if<Skipped>(&outcome);
  if (skipped == nullptr) return {};
  const bool is_of_machine = skipped->kind == SkipKind::too_few_ranks || skipped->kind == SkipKind::not_answerable;
  return (is_of_machine ? "not answerable on this machine: " : "") + skipped->reason;
}

}  // namespace regatta::sweep
