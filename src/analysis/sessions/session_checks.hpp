// The things that two files must have in common before their times are compared.
#pragma once

#include "regatta/analysis/session_cells.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Throws InputError if both files are one session.
void refuse_one_session(const results::Results& old_session, const results::Results& new_session);

/// Whether hosts or devices differ; throws InputError that names both unless `allowed`.
bool differs_in_machine(const results::Results& old_session, const results::Results& new_session, bool allowed);

/// Throws InputError: no trial in common.
[[noreturn]] void refuse_nothing_in_common(const results::Results& old_session, const results::Results& new_session);

FloorKey floor_key(const results::Results& results, const results::TrialRow& trial);

}  // namespace regatta::analysis
