// The HTML page.
#pragma once

#include <string>
#include <string_view>

#include "report/findings/view.hpp"

namespace regatta::report {

// html_tables.cpp: The tables of the HTML page. Each is capped, so that a sweep of 100,000 trials still makes a page
// that opens.

/// The trials in groups that are compared, with their times and ratios.
std::string trials_table(const View& view);

/// A sentence and the figures of each contrast; empty if there is none.
std::string contrasts_table(const View& view);

/// The trials without a figure or a verdict, why, and what to do next; empty if there are none.
std::string not_measured_list(const View& view);

// page_parts.cpp: The parts of the HTML page that are no figure and no table of trials.

/// The checks, as a list; empty if the sweep compares nothing.
std::string checks_list(const View& view);

/// The words that the page uses as the project does.
std::string words_in_place();

/// Where, when and with what it was measured, and the command that does it again.
std::string machine_strip(const View& view);

/// Whether Regatta's loader kept up, cell by cell; empty where no cell tells.
std::string input_notes(const View& view);

/// How it was measured in eight lines, and what it does not say.
std::string method();

/// Folded: the sweep file, the environment, and the figures as CSV and JSON as far as they are not too long.
std::string files(const View& view);

}  // namespace regatta::report
