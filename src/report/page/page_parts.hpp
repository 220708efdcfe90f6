// The parts of the HTML page that are no figure and no table of trials.
#pragma once

#include <string>

#include "report/findings/view.hpp"

namespace regatta::report {

/// What was checked, in a frame; empty if the sweep compares nothing.
std::string seal(const View& view);

/// Folded: the words that the page uses as the project does.
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
