// The figures as comma separated values: one line for each trial, with its ratio if it has one.
#pragma once

#include <cstddef>
#include <string>

#include "report/findings/view.hpp"

namespace regatta::report {

/// At most `most_rows` trials below a line of names; times in seconds, empty where there is none.
std::string trials_csv(const View& view, std::size_t most_rows);

}  // namespace regatta::report
