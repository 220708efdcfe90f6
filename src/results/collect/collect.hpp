// The plan that a folder's journal recorded last, expanded again, and the tables of its results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/results/store.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"
#include "results/collect/gather.hpp"

namespace regatta::results {

struct LastPlan {
  HeaderRecord header;
  PlanRecord record;
  sweep::Sweep sweep;
  sweep::Plan plan;
};

/// Throws InputError if the folder holds no plan, or naming ids if this version expands the sweep into other trials.
/// The plan that is `given` (null: none) is taken if it is the one recorded.
LastPlan last_plan(const std::filesystem::path& folder, const std::vector<Record>& records,
                   const GivenSweep* given = nullptr);

/// Whether what was measured is read too. Without it trials have no metrics, and how they ended needs no samples.bin.
enum class Samples { read, left };

/// The result of collect() for a plan that is known; `planned` then has the finals that count among its blocks.
Results collect_rows(const std::filesystem::path& folder, const Scan& journal, LastPlan& planned, Samples samples);

// collect_interventions.cpp: The journal's records of cells that were measured again with one thing changed.

/// A row for each arm of each explaining block, lost as long as nothing is known of it.
void start_interventions(Results& results, const sweep::Plan& plan);

/// Throws InputError: what was recorded of this block is not what was planned.
[[noreturn]] void throw_other_arms(const Hash128& block);

/// Fills the rows of one block; `samples` by arm.
void fill_interventions(Results& results, const sweep::Block& block, const Taken& taken,
                        const std::vector<std::vector<stats::Sample>>& samples);

// collect_legs.cpp: The journal's records of training.

/// Adds the leg's row. Throws InputError if what was recorded of this block is not what was planned.
void add_leg(Results& results, const sweep::Block& block, const Taken& taken);

/// Every metric that a leg has, in order of first appearance.
std::vector<std::string> metrics_of(const std::vector<LegRow>& rows);

/// By trial, then seed, then where they begin.
void sort_legs(std::vector<LegRow>& legs);

/// Figures of each trial for tables and queries: the mean over its runs of each metric at their best evaluation, under
/// fresh seeds where there are any, and of the test part once it was opened; `runs`, how many these are.
void fill_learned_metrics(Results& results);

// sessions.cpp: The sessions of a journal, and what each said of itself.

/// In the order of time. Throws InputError for a record that cannot be read.
std::vector<SessionRow> sessions_of(const std::vector<Record>& records);

}  // namespace regatta::results
