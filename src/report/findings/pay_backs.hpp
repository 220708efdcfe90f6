// What is said of slow starts before the tables: each pair of arms once, at the settings that a user would run.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// A slow starter and the arm it is compared with, at the settings with their largest batch.
struct StartedPair {
  std::vector<const analysis::PayBack*> settings;  ///< not empty
};

/// In the order of the findings.
std::vector<StartedPair> started_pairs(const View& view);

/// One for each pair: the setting, or the range over several of them. Pairs of fewer than 7 processes have none.
std::vector<std::string> pay_back_sentences(const View& view);

}  // namespace regatta::report
