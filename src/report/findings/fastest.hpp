// Which cells are the fastest, said once for all settings in which they are.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

struct FastestSentence {
  std::size_t settings = 0;
  std::string text;
};

/// Settings with more than two cells only: of two, the ratio says it. What holds in most settings comes first.
std::vector<FastestSentence> fastest_sentences(const View& view);

}  // namespace regatta::report
