// What no check passes or fails, and a reader must know all the same: how a figure is to be read.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Trials that finished after an attempt had failed, arms with several speeds, rare stalls, what has no lasting speed,
/// and what plain loops would have said of identical code that was shown to be the same. Linear in the samples.
std::vector<std::string> remarks_of(const View& view);

}  // namespace regatta::report
