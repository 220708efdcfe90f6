// What is recorded, by leg.
#pragma once

#include <optional>
#include <span>

#include "search/core.hpp"

namespace regatta::search {

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
