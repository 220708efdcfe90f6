// What holds for every verdict, on two arms of a sweep as on two sessions of a trial.
#pragma once

#include "regatta/results/tables.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

/// The flags of the slot that measured the trial; none where it is not known.
stats::Flags slot_flags(const results::Results& results, const results::TrialRow& trial);

/// Whether one of these flags leaves it undecided: cores that others share make every verdict a matter of luck.
bool forbid_verdict(stats::Flags flags);

/// The verdict of one comparison among many: a difference that so many looks would find anyway is none (R12).
stats::Verdict among_many(stats::Verdict verdict, bool is_discovery);

}  // namespace regatta::analysis
