#include "regatta/analysis/session_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/digest.hpp"

namespace regatta::analysis {

using stats::Verdict;

double SessionCell::indifference() const { return std::max(margin, session_floor); }

std::size_t Sessions::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cells, [&](const SessionCell& cell) { return cell.judged && cell.verdict == verdict; }));
}

std::string floor_source_name(FloorSource source) {
  switch (source) {
    case FloorSource::assumed:
      return "assumed";
    case FloorSource::stored:
      return "stored";
    case FloorSource::pair:
      break;
  }
  return "these sessions";
}

std::string verdict_text(const SessionCell& cell) { return std::string(verdict_word(cell.verdict, cell.metric)); }

JudgedRatio judged_ratio(const SessionCell& cell) {
  return {cell.ratio, cell.low, cell.high, cell.verdict, false, cell.metric};
}

std::string session_id(const results::Results& results) {
  std::string text = results.name + '\n' + results.provenance.created + '\n';
  for (const auto& block : results.blocks) text += fmt::format("{}\n", block.start_wall_seconds);
  return to_string(hash128(text));
}

}  // namespace regatta::analysis
