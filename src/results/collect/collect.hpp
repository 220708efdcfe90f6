// The plan that a folder's journal recorded last, expanded again, and the tables of its results.
#pragma once

#include <filesystem>
#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

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

/// What collect() gives, for a plan that is known; `planned` then has the finals that count among its blocks.
Results collect_rows(const std::filesystem::path& folder, const Scan& journal, LastPlan& planned, Samples samples);

}  // namespace regatta::results
