#include <cmath>

#include "report/export/export.hpp"
#include "report/findings/rank_lines.hpp"

namespace regatta::report {
namespace {

using analysis::RankCell;
using analysis::RankScaling;

Json count_or_null(std::int64_t count) { return count > 0 ? Json(count) : Json(nullptr); }

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json estimate_object(const std::optional<stats::Estimate>& estimate) {
  if (!estimate) return nullptr;
  return Json{{"value", finite_or_null(estimate->value)},
              {"low", finite_or_null(estimate->range.low)},
              {"high", finite_or_null(estimate->range.high)}};
}

/// Times, as they were judged.
Json ratio_object(const std::optional<analysis::JudgedRatio>& ratio) {
  if (!ratio) return nullptr;
  return Json{{"ratio", ratio->ratio},
              {"low", optional_number(ratio->low)},
              {"high", optional_number(ratio->high)},
              {"verdict", std::string(stats::verdict_name(ratio->verdict))}};
}

Json cell_object(const View& view, const RankCell& cell) {
  return Json{{"trial", to_string(view.results.trials[cell.trial.value].hash)},
              {"ranks", cell.ranks},
              {"shards", count_or_null(cell.shards)},
              {"batch", count_or_null(cell.batch)},
              {"step_time_mean", cell.step_seconds},
              {"exposed_exchange", optional_number(cell.exposed_seconds)},
              {"against_base", ratio_object(cell.against_base)},
              {"efficiency", estimate_object(efficiency(cell))},
              {"exchange_off", ratio_object(cell.exchange_off)}};
}

const char* name_of(analysis::RanksKnown known) {
  if (known == analysis::RanksKnown::judged) return "judged";
  return known == analysis::RanksKnown::no_base ? "no trial of one rank" : "not compared";
}

const char* name_of(analysis::HeldBackBy by) {
  using analysis::HeldBackBy;
  switch (by) {
    case HeldBackBy::little:
      return "little is lost";
    case HeldBackBy::exchange:
      return "exchange";
    case HeldBackBy::shards:
      return "shards";
    case HeldBackBy::elsewhere:
      return "neither";
    case HeldBackBy::unknown:
      break;
  }
  return "not known";
}

}  // namespace

Json ranks_object(const View& view, const RankScaling& group) {
  const auto id = [&](std::size_t cell) { return to_string(view.results.trials[group.cells[cell].trial.value].hash); };
  const bool is_judged = group.known == analysis::RanksKnown::judged;
  Json cells = Json::array();
  for (const RankCell& cell : group.cells) cells.push_back(cell_object(view, cell));
  return Json{{"where", group.name},
              {"samples_a_rank", group.each_ranks ? Json(*group.each_ranks) : Json(nullptr)},
              {"known", name_of(group.known)},
              {"base", group.base ? Json(id(*group.base)) : Json(nullptr)},
              {"pays_up_to", is_judged ? Json(group.cells[group.pays_to].ranks) : Json(nullptr)},
              {"stopped_by", group.next ? Json(id(group.next->cell)) : Json(nullptr)},
              {"stopped_ratio", group.next ? ratio_object(group.next->ratio) : Json(nullptr)},
              {"held_back_by", is_judged ? Json(name_of(group.held_back_by)) : Json(nullptr)},
              {"shards_cost", ratio_object(group.shards_cost)},
              {"cells", std::move(cells)},
              {"answer", rank_answer(group)},
              {"reason", rank_reason(group)}};
}

}  // namespace regatta::report
