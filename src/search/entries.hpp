// Who competes, and what is drawn. Draws are a function of what a configuration is, not of its place.
#pragma once

#include <cstdint>
#include <vector>

#include "search/core.hpp"

namespace regatta::search {

/// What is drawn for; each has its own numbers.
enum class Draw : std::uint8_t { clone, training_on, tie };

std::uint64_t drawn(const Problem& problem, std::size_t configuration, Draw purpose);

/// One in ten, at least 3 or all.
std::size_t clones_of(std::size_t configurations);

/// Every configuration under the search's seed, and some under the clones' seed, too.
std::vector<Entry> entries_of(const Problem& problem);

std::uint32_t last_rung(const sweep::Search& search);

/// The stretch of an entry's training that ends with this rung.
Due leg_of(const Problem& problem, const Entry& entry, std::uint32_t rung);

}  // namespace regatta::search
