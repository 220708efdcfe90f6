// Numbers, ratios and intervals as people read them. An unknown value is a dash, never a zero.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regatta/analysis/values.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/metrics.hpp"

namespace regatta::report {

inline constexpr std::string_view dash = "\u2013";

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

/// "10.7x": three significant digits, four below 1.1, where they matter. At least 1: a ratio and its inverse read
/// alike.
std::string times_text(double ratio);
/// The same for what "takes so many times as long": "1.59", "0.50", "1.003"; below 1 is less. A dash for what is not
/// finite.
std::string takes_text(double ratio);
/// A ratio of this metric: "10.7x faster" below 1, "10.7x slower" above; a ratio that reads 1.000x has no direction.
std::string directed_text(double ratio, sweep::Metric metric = sweep::Metric::time_per_step);
/// The interval of a ratio, counted as `directed_text` counts the ratio: "[10.5, 10.9]". Where an end points elsewhere
/// both have their word: "[1.02x faster, 1.05x slower]". Empty if an end is missing.
std::string directed_interval(double ratio, std::optional<double> low, std::optional<double> high,
                              sweep::Metric metric = sweep::Metric::time_per_step);

/// One scale for every sentence, table and figure: the number is at least 1 and a word says which way it points. A
/// difference has its unit: "0.10 higher", "[0.08, 0.12]", "the same within 0.01".
struct RatioWords {
  std::string figure;    ///< "10.7x faster", "1.003x, same", "not known yet"
  std::string interval;  ///< "[10.5, 10.9]", "[anything from 10x faster to 11x slower]", or empty
  std::string remark;    ///< "early", or empty
};
RatioWords words_of(const analysis::JudgedRatio& judged);

/// Figure, interval and remark: "6.30x slower [5.60, 7.10], early", "not known yet [1.04x faster, 1.11x slower]".
/// `behind` stands before the remark: "6.30x slower [5.60, 7.10] than numpy, early".
std::string ratio_text(const analysis::JudgedRatio& judged, const std::string& behind = "");
/// Interval and remark, for a column beside the figure: "[5.60, 7.10], early".
std::string interval_text(const analysis::JudgedRatio& judged);

}  // namespace regatta::report
