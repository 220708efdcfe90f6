// Slow starts and when they have paid back, in sentences: of one comparison, and of each pair of arms at the settings
// that a user would run.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// "graph takes longer to start than eager (1.00 s against 200 ms): has paid that back after 800 steps [667, 1000]".
std::string pay_back_sentence(const View& view, const analysis::PayBack& paid);

/// A slow starter and the arm it is compared with, at the settings with their largest batch.
struct StartedPair {
  std::vector<const analysis::PayBack*> settings;  ///< not empty
};

/// In the order of the findings.
std::vector<StartedPair> started_pairs(const View& view);

/// One for each pair: the setting, or the range over several of them. Pairs of fewer than 7 processes have none.
std::vector<std::string> pay_back_sentences(const View& view);

}  // namespace regatta::report
