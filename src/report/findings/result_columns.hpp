// Numbers that programs told of their trials: which columns tables have of them, and what a reader must know.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

struct ResultColumn {
  std::string name;
  std::string header;  ///< "residual [K]"
};

/// One for each name, as many as fit a table.
std::vector<ResultColumn> result_columns(const View& view);

/// "1.2e-06", "NaN", or a dash where it was not told.
std::string result_text(const results::TrialRow& trial, const std::string& name);

/// "residual is NaN in 1 of 5 runs: solve 64", one for each remark.
std::vector<std::string> result_remarks(const View& view);

}  // namespace regatta::report
