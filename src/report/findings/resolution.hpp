// How small a difference this run can tell, and what it takes to tell smaller ones.
#pragma once

#include <string>

#include "report/findings/view.hpp"

namespace regatta::report {

/// "This run can tell differences of 9 % and more. About 12 min more would lower that to 4 %: regatta run ... --for
/// 12m". Empty if the sweep compares nothing. Linear in the samples.
std::string resolution_sentence(const View& view);

/// "9 %"; of a difference beyond a factor of 2 "a factor of 2.4".
std::string difference_text(double resolution);

}  // namespace regatta::report
