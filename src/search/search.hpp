// The runs of a search that train on, and the set of configurations that it ends with; knows no file, thread or clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/core.hpp"

namespace regatta::search {

// competition.cpp: Rung by rung: who goes on. A cut is made when every entry of its rung has a run, so that neither
// the order nor the time in which they came enters it.

Competition compete(const Problem& problem, const Records& records);

/// How many of a rung's entries, best first, go on to the next: one of `factor`, and near-ties; at least 2 with a
/// score.
std::size_t cut(const Rung& rung, double factor);

/// Configurations that left before the last rung, or have no score there; in the order of rungs.
std::vector<Stopped> stopped_of(const Problem& problem, const Competition& competition);

/// One in eight of those that were stopped with a score, drawn.
std::vector<TrainedOn> trained_on_of(const Problem& problem, const Competition& competition);

// entries.cpp: The competitors, and the draws. Draws are a function of a configuration's contents, not of its place.

/// The purpose of a draw; each has its own numbers.
enum class Draw : std::uint8_t { clone, training_on, tie };

std::uint64_t drawn(const Problem& problem, std::size_t configuration, Draw purpose);

/// One in ten, at least 3 or all.
std::size_t clones_of(std::size_t configurations);

/// Every configuration under the search's seed, and some under the clones' seed, too.
std::vector<Entry> entries_of(const Problem& problem);

std::uint32_t last_rung(const sweep::Search& search);

/// The stretch of an entry's training that ends with this rung.
Due leg_of(const Problem& problem, const Entry& entry, std::uint32_t rung);

// noise.cpp: How far apart runs are that differ in nothing but their seeds: what clones are for.

/// After the last of these rungs, by the pairs that stand in it. Below three pairs those that were stopped before tell
/// it, too, each as it stood in the last rung that both reached with a score: less training scatters more, so that
/// intervals are too wide rather than too short.
Noise noise_of(std::span<const Rung> rungs);

// records.cpp: The recorded runs, by leg.

/// Each leg once.
Records records_of(std::span<const Done> runs);

/// Nothing: it is due.
const Done* recorded(const Records& records, const Due& leg);

/// The score, turned so that more is better; nothing for none that is finite.
std::optional<double> goodness_of(const sweep::Objective& objective, std::optional<double> score);

/// Turns a goodness, or a difference of some, into the objective's own direction.
inline double score_of(const sweep::Objective& objective, double goodness) {
  return objective.maximizes ? goodness : -goodness;
}

}  // namespace regatta::search
