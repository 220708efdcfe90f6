#include "regatta/sweep/arm_outcome.hpp"

#include <fmt/format.h>

#include <sstream>

namespace regatta::sweep {

void add_process_peaks(Facts& facts, std::span<const double> bytes) {
  std::string text = text_of(facts, Fact::process_peaks);
  for (const double each : bytes) text += fmt::format("{}{:.0f}", text.empty() ? "" : " ", each);
  set(facts, Fact::process_peaks, std::move(text));
}

std::vector<double> process_peaks(const Facts& facts) {
  std::istringstream text(text_of(facts, Fact::process_peaks));
  std::vector<double> bytes;
  for (double each = 0; text >> each;) bytes.push_back(each);
  return bytes;
}

}  // namespace regatta::sweep
