// The plan that a folder's journal recorded last, expanded again.
#pragma once

#include <filesystem>
#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/records.hpp"
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
LastPlan last_plan(const std::filesystem::path& folder, const std::vector<Record>& records);

}  // namespace regatta::results
