// The tables of the HTML page. Each is capped, so that a sweep of 100,000 trials still makes a page that opens.
#pragma once

#include <string>

#include "report/findings/view.hpp"

namespace regatta::report {

/// The trials in groups that are compared, with their times and ratios.
std::string trials_table(const View& view);

/// A sentence and the figures of each contrast; empty if there is none.
std::string contrasts_table(const View& view);

/// What did not end with a figure or a verdict, why, and what to do next; empty if everything did.
std::string not_measured_list(const View& view);

}  // namespace regatta::report
