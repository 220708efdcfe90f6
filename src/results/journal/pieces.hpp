// A journal's bytes as its whole records and what lies between them. Whoever reads a journal reads it through this;
// what may be missing of one is for the caller to say.
#pragma once

#include <string_view>

#include "regatta/results/journal.hpp"

namespace regatta::results {

Scan pieces_of(std::string_view bytes);

}  // namespace regatta::results
