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

/// Of settings with more than two cells (of two, their ratio says it); what holds in most settings first.
std::vector<FastestSentence> fastest_sentences(const View& view);

}  // namespace regatta::report
