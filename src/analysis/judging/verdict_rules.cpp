#include "analysis/judging/judging.hpp"

namespace regatta::analysis {

stats::Flags slot_flags(const results::Results& results, const results::TrialRow& trial) {
  const auto slot = static_cast<std::size_t>(trial.device);
  return trial.device >= 0 && slot < results.devices.size() ? results.devices[slot].flags : stats::Flags();
}

bool forbid_verdict(stats::Flags flags) { return flags.has(stats::Flag::cores_shared); }

stats::Verdict among_many(stats::Verdict verdict, bool is_discovery) {
  using stats::Verdict;
  const bool is_difference = verdict == Verdict::faster || verdict == Verdict::slower;
  return is_difference && !is_discovery ? Verdict::undecided : verdict;
}

}  // namespace regatta::analysis
