// How a trial ended, as the columns of every table of results say it, and reasons that say the same of other numbers:
// one line of them instead of twenty.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "regatta/sweep/outcome.hpp"

namespace regatta::results {

/// The column "cause": the kind of failure or of skip, or "none".
std::string cause_of(const sweep::Outcome& outcome);

/// The column "reason": the failure's message without its kind, the skip's reason, or nothing.
std::string message_of(const sweep::Outcome& outcome);

/// "needs # ranks" for "needs 16 ranks": what is left where numbers do not count.
std::string without_numbers(std::string_view text);

/// "needs 4 ranks", or of several "needs 4 ranks (and 2 reasons like it, with other numbers)".
std::string text_for_all(std::string_view example, std::size_t reasons);

/// The counts of reasons, those added up that differ in numbers alone where there are more than two of a kind.
std::map<std::string, std::size_t> folded(const std::map<std::string, std::size_t>& counts);

inline constexpr std::size_t most_alike = 2;  ///< reasons of a kind that stand each for itself

}  // namespace regatta::results
