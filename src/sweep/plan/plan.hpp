// From a sweep to trials and blocks: points, merging, skips, who is measured beside whom.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "regatta/model/places.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"
#include "sweep/plan/read_sets.hpp"

namespace regatta::sweep {

// blocks.cpp: From trials to blocks: who is measured beside whom, identities, demands and clones.

/// Gives a plan that has its trials its blocks and no_contrasts. Throws InputError if the comparison does not fit the
/// axes, or its baseline matches no arm or several.
void add_blocks(const Sweep& sweep, const Points& points, Kinds& kinds, const std::vector<TrialIndex>& trial_of_point,
                Plan& plan);

/// Raises a block's demand to what an arm with these parameters needs.
void add_demand(Demand& demand, const Parameters& parameters);

// trials.cpp: From points to trials: defaults filled in, what is not read made null, equal points merged, skips
// found.

/// Gives the plan its trials, in order of first appearance, and tells which is that of each point. Throws InputError if
/// no point is left, or an engine lacks an axis that it needs.
std::vector<TrialIndex> add_trials(const Sweep& sweep, const Points& points, Kinds& kinds, Plan& plan);

// comparison_groups.cpp: The points among which arms are compared: equal in every axis but those compared.

struct Group {
  std::vector<TrialIndex> members;     ///< in order of points; a trial may stand twice
  std::optional<TrialIndex> baseline;  ///< none: every point that it matches is excluded
};

/// Groups in order of first appearance. Throws InputError if the comparison does not fit the axes, or its baseline
/// matches no arm or several.
std::vector<Group> group_points(const Sweep& sweep, const Points& points, Kinds& kinds,
                                const std::vector<Trial>& trials, const std::vector<TrialIndex>& trial_of_point);

// comparison_pairs.cpp: Comparisons without one baseline for all: every pair of arms, or those that differ in one
// parameter only.

struct Pair {
  TrialIndex baseline;  ///< the sweep's baseline, if it is one of the two; else the earlier trial
  TrialIndex other;
  auto operator<=>(const Pair&) const = default;
};

/// The pairs of each group's runnable trials, each once, ordered by their baselines. Throws InputError beyond
/// max_points of them, counted before any is made.
std::vector<Pair> pair_up(const Sweep& sweep, const std::vector<Trial>& trials, const std::vector<Group>& groups);

/// The reason of a trial that is in no pair.
std::string why_unpaired(Pairs pairs);

// interventions.cpp: Blocks that measure a cell beside itself with one thing changed.

/// Adds, after all blocks of trials, one block for each runnable trial of the first repeat in which something can be
/// changed. They change nothing about the blocks before them.
void add_explanations(const Sweep& sweep, Plan& plan);

// legs.cpp: Blocks of a sweep that trains.

/// Every leg that a configuration may need, whatever the others give: which of them are trained, the search says.
std::vector<Leg> possible_legs(const Training& training, const std::optional<Search>& search);

/// A block for each possible leg of each trial that can run.
void add_legs(const Sweep& sweep, Plan& plan);

// own_axes.cpp: Axes that a sweep makes itself: who reads them, and where their values go.

/// Whether the axis is a place in a model: `layers.0.dense`, `optimizer.learning_rate`, `args.width`.
bool is_place(const Param& param);

/// Whether the program or the model of these parameters reads the axis.
bool reads_own(const Sweep& sweep, const Parameters& parameters, const model::Model* model, const Param& param);

/// The values that the axes of these parameters give to places in their model.
std::vector<model::PlacedValue> placed_values(const Parameters& parameters);

/// The program with `{n}` in its arguments replaced, `{{n}}` by the text {n}, and its values as variables: REGATTA_N,
/// and all of them as JSON in REGATTA_PARAMETERS.
Command with_values(Command command, const Parameters& parameters);

// replicate_blocks.cpp: Blocks that ask the same question again, for other seeds, repeats or instances (measuring.md
// R4).

/// Finds the blocks of which one pair of runs is enough: what a program tells under one seed is a function of it, or
/// has its noise seen over the other seeds. Times are measured under each seed as carefully as under a single one.
void find_replicates(const Sweep& sweep, Plan& plan);

}  // namespace regatta::sweep
