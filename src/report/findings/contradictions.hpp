// Printed verdicts that a check contradicts: the only thing that a report prints in red beside failures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

enum class Contradicted : std::uint8_t {
  by_clone,        ///< the same code measured twice differed by more than a third of the difference
  by_undisturbed,  ///< without disturbed slices there is another verdict
  by_throttling,   ///< one arm ran throttled more often than the other
  by_position      ///< the place in the round matters half as much as the difference, or more
};

/// "clone", "undisturbed", "throttling", "position".
std::string_view contradiction_name(Contradicted kind);

struct Contradiction {
  Contradicted kind = Contradicted::by_clone;
  const analysis::Contrast* contrast = nullptr;
  std::string why;
};

/// Only verdicts are checked: an undecided comparison claims nothing that could be wrong. Linear in the samples.
std::vector<Contradiction> contradictions_of(const View& view);

/// One sentence for each reason: "Do not believe numpy batch 32: the same code measured twice differed by 1.8 %".
std::vector<std::string> contradiction_sentences(const View& view);

}  // namespace regatta::report
