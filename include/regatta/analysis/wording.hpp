// Numbers and ends as people read them. What is not known is a dash, never a zero.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regatta/base/units.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/metrics.hpp"

namespace regatta::analysis {

inline constexpr std::string_view dash = "\u2013";

/// A metric of a trial ("step_time", ...: results/tables.hpp); nothing if absent or not finite.
std::optional<double> metric(const results::TrialRow& trial, const std::string& name);

/// Why the trial has no quantile of single calls: empty if it has, or has not finished.
std::string no_quantile(const results::TrialRow& trial, sweep::Metric metric);

/// "2.50 us [2.40 us, 2.60 us]"; a dash where the trial has none.
std::string quantile_text(const results::TrialRow& trial, sweep::Metric metric);

/// A value of this metric: "7.10 us", "12.0 MiB".
std::string value_text(std::optional<double> value, sweep::Metric metric);

/// The trial's own figure of what the sweep compares by.
std::string figure_text(const results::TrialRow& trial, sweep::Metric metric);

std::string duration_text(std::optional<double> seconds);  ///< "7.10 us"
std::string rate_text(std::optional<double> per_second);   ///< "4.51 M": three digits and k, M, G
std::string size_text(std::optional<double> bytes);        ///< "12.0 MiB"

/// "800", "1.2e+06": whole steps, rounded up; `steps` is finite.
std::string steps_text(double steps);

/// "10.7x": three significant digits, four between 0.9 and 1.1, where they matter.
std::string ratio_text(double ratio);
/// "[10.5, 10.9]", or empty if an end is missing.
std::string interval_text(std::optional<double> low, std::optional<double> high);

}  // namespace regatta::analysis
