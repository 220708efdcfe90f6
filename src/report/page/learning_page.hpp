// What the HTML page of a training sweep has in place of ratios and times.
#pragma once

#include <string>
#include <string_view>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Styles that pages of benchmarks do without.
extern const std::string_view learning_style;

/// What the figures rest on, as a list: seeds, parts, noise, cost.
std::string learning_checks(const View& view);

/// The ranking with its figures.
std::string ranking_html(const View& view);

/// Quality against what it costs; who is shown to be no choice is grey.
std::string trade_offs_html(const View& view);

/// How soon runs reach the target, by all clocks; empty without one.
std::string targets_html(const View& view);

/// What was stopped, when, and what of it was trained on; empty without a search.
std::string stopped_html(const View& view);

std::string learning_method();

}  // namespace regatta::report
