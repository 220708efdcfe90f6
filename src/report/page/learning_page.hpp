// The parts of a training sweep's HTML page that take the place of ratios and times.
#pragma once

#include <string>
#include <string_view>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Styles that pages of benchmarks do without.
extern const std::string_view learning_style;

/// The evidence behind the figures, as a list: seeds, parts, noise, cost.
std::string learning_checks(const View& view);

/// The ranking with its figures.
std::string ranking_html(const View& view);

/// Quality against its cost. Configurations that are shown to be no choice are grey.
std::string trade_offs_html(const View& view);

/// How soon runs reach the target, by all clocks; empty without one.
std::string targets_html(const View& view);

/// The stopped configurations, when, why, and how training on at the end turned out; empty without a search.
std::string stopped_html(const View& view);

std::string learning_method();

}  // namespace regatta::report
