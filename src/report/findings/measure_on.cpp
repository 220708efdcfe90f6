#include "report/findings/measure_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "regatta/base/shell.hpp"

namespace regatta::report {
namespace {

constexpr double usual_seconds = 300;  // where nothing tells

/// Comparisons of one block are measured on together.
double seconds_needed(const analysis::Contrasts& contrasts) {
  std::map<BlockIndex, double> blocks;
  for (const auto& contrast : contrasts.contrasts) {
    if (contrast.verdict != stats::Verdict::undecided || !contrast.outlook) continue;
    blocks[contrast.block] = std::max(blocks[contrast.block], contrast.outlook->seconds);
  }
  double sum = 0;
  for (const auto& [block, seconds] : blocks) sum += seconds;
  return sum;
}

}  // namespace

std::string measure_on(const results::Results& results, const analysis::Contrasts& contrasts) {
  const std::string& file = results.provenance.sweep_file;
  const double needed = seconds_needed(contrasts);
  const double minutes = std::ceil((needed > 0 ? needed : usual_seconds) / 60);
  return fmt::format("regatta run {} --rerun undecided --for {:.0f}m", file.empty() ? "SWEEP" : shell_word(file),
                     minutes);
}

std::string about_time(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", std::max(seconds, 1.0)) : fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace regatta::report
