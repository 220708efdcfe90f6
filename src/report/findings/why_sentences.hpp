// Why a step takes as long as it does, in sentences: what changes to a cell remove, and what calls cost.
#pragma once

#include <optional>
#include <string>

#include "regatta/analysis/call_costs.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {

/// "emptying the kernels: -61 % [-63, -59]; ..."; of a cell that was not explained the reason.
std::string explanation_sentence(const View& view, const analysis::Explanation& explanation);

/// "removing input copies", "emptying the kernels", "batch 1".
std::string change_text(const sweep::Intervention& intervention);

/// "-61 % [-63, -59]" from a ratio and its interval.
std::string removed_text(double ratio, std::optional<double> low, std::optional<double> high);

/// "58.0 us [57.1, 58.9] of calls, whatever the batch, + 410 ns a row".
std::string line_text(const analysis::CallsLine& line);

/// "numpy: a step = 55.2 us of calls, whatever the batch, + 262 ns a row; calls are 99 % of it at batch 1, 9 % at
/// 2048".
std::string call_cost_sentence(const analysis::CallCost& cost);

}  // namespace regatta::report
