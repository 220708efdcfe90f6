// p95 and p99 of single calls: which columns tables have of them, and what a reader must know (measuring.md R14).
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

struct QuantileColumn {
  std::string header;
  sweep::Metric metric;
};

/// Why the trial has no quantile of single calls: empty if it has, or has not finished.
std::string no_quantile(const results::TrialRow& trial, sweep::Metric metric);

/// Columns that some trial has a value for.
std::vector<QuantileColumn> quantile_columns(const View& view);

/// What they are, and why trials have none; empty if nothing finished.
std::string quantiles_sentence(const View& view);

}  // namespace regatta::report
