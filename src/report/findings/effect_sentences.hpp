// What the contrasts of a sweep say together, a sentence each: ranges over settings, crossovers, interactions.
#pragma once

#include <string>

#include "report/findings/view.hpp"

namespace regatta::report {

/// "numpy is 5.00x (batch 512) to 69.4x (batch 1) slower than native graph over 7 settings; geometric mean ...". Of one
/// setting it is the sentence of its contrast.
std::string effect_sentence(const View& view, const analysis::Effect& effect);

/// "eager wins below batch 4 [2, 8], graph above (mlp-10)".
std::string crossing_sentence(const analysis::Crossing& crossing);

/// "eager against graph: 2.00x slower with native, 3.00x slower with torch; eager's effect is 1.50x [1.50, 1.50] better
/// with native than with torch".
std::string interaction_sentence(const View& view, const analysis::Interaction& interaction);

}  // namespace regatta::report
