#include "analysis/contrasts/fastest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {
namespace {

struct Cell {
  TrialIndex trial;
  const Contrast* contrast = nullptr;  ///< with the baseline of its setting; nothing for that one itself
  double log_time = 0;                 ///< over the baseline
  bool measured_again = false;
};

struct Setting {
  std::string where;
  std::vector<const Contrast*> contrasts;
};

std::vector<Setting> settings_of(const results::Results& results, const Contrasts& all, const Axes& axes) {
  std::vector<Setting> settings;
  std::unordered_map<std::string, std::size_t> by_label;
  for (const Contrast& contrast : all.contrasts) {
    std::string where = label(results.trials[contrast.b.value].parameters, axes.stratum);
    const auto [entry, is_new] = by_label.try_emplace(where, settings.size());
    if (is_new) settings.push_back({std::move(where), {}});
    settings[entry->second].contrasts.push_back(&contrast);
  }
  return settings;
}

double margin_of(const Contrast& contrast) {
  return stats::indifference({.margin = contrast.margin, .floor = contrast.floor});
}

/// What the verdict over the baseline is on (log).
stats::Range known_range(const Contrast& contrast) {
  if (contrast.over_calls) return {std::log(contrast.over_calls->low), std::log(contrast.over_calls->high)};
  return log_estimate(contrast).value_or(stats::Estimate()).range;
}

/// A clear interval without a verdict: something else speaks against the figure.
bool is_distrusted(const Cell& cell) {
  if (cell.contrast == nullptr || cell.contrast->verdict != stats::Verdict::undecided) return false;
  return stats::verdict_of(known_range(*cell.contrast), margin_of(*cell.contrast)) != stats::Verdict::undecided;
}

/// A doubtful verdict does not tell a cell from the baseline.
bool is_doubtful(const Cell& cell) { return cell.contrast != nullptr && !cell.contrast->survives; }

/// Where both took turns: the baseline stands in every block.
std::optional<BlockIndex> shared_block(const Cell& a, const Cell& b) {
  const Contrast* one = a.contrast != nullptr ? a.contrast : b.contrast;
  const Contrast* other = b.contrast != nullptr ? b.contrast : a.contrast;
  return one != nullptr && one->block == other->block ? std::optional(one->block) : std::nullopt;
}

/// From the squares that both share, at `alpha`; nothing without samples.
std::optional<stats::Judgement> judged(const Judge& judge, BlockIndex block, TrialIndex a, TrialIndex b, double alpha) {
  const auto& arms = judge.results.blocks[block.value].arms;
  const BlockValues& values = judge.values[block.value];
  const auto place_of = [&](TrialIndex trial) {
    return static_cast<std::size_t>(std::ranges::find(arms, trial) - arms.begin());
  };
  const std::size_t at_a = place_of(a), at_b = place_of(b);
  if (std::max(at_a, at_b) >= values.size() || values[at_a].empty() || values[at_b].empty()) return std::nullopt;
  stats::JudgeOptions options = judge.options_for(block, at_a, at_b);
  options.alpha = alpha;
  return stats::judge({values[at_a], values[at_b]}, options);
}

/// Log time over the baseline.
stats::Range range_of(const Judge& judge, const Cell& cell, double alpha) {
  if (cell.contrast == nullptr) return {0, 0};
  stats::Range range = known_range(*cell.contrast);
  if (const auto found = judged(judge, cell.contrast->block, cell.trial, cell.contrast->b, alpha))
    range = found->over_call_lengths;
  if (is_doubtful(cell)) range = {std::min(range.low, 0.0), std::max(range.high, 0.0)};
  return range;
}

/// Whether the cell is known to be slower than the leader: from squares that both share, over the baseline only where
/// they share none.
bool is_slower(const Judge& judge, const Cell& cell, const Cell& leader, double margin, double alpha) {
  if (is_distrusted(cell) || is_distrusted(leader)) return false;
  const bool with_baseline = cell.contrast == nullptr || leader.contrast == nullptr;
  if (with_baseline && (is_doubtful(cell) || is_doubtful(leader))) return false;
  if (const auto block = shared_block(cell, leader)) {
    if (const auto found = judged(judge, *block, cell.trial, leader.trial, alpha))
      return found->verdict == stats::Verdict::slower;
  }
  return range_of(judge, cell, alpha / 2).low - range_of(judge, leader, alpha / 2).high >= margin;
}

/// Empty if some have no contrast with the baseline of the first ones.
std::vector<Cell> cells_of(const results::Results& results, const Setting& setting) {
  const Contrast& first = *setting.contrasts.front();
  std::vector<Cell> cells = {{first.b}};
  std::set<TrialIndex> known = {first.b};
  for (const Contrast* contrast : setting.contrasts) {
    if (contrast->b != first.b || !known.insert(contrast->a).second) continue;
    const bool again = results.blocks[contrast->block.value].measured_again;
    cells.push_back({contrast->a, contrast, std::log(contrast->ratio), again});
    cells.front().measured_again |= again;
  }
  const auto is_known = [&](const Contrast* contrast) {
    return known.contains(contrast->a) && known.contains(contrast->b);
  };
  return std::ranges::all_of(setting.contrasts, is_known) ? cells : std::vector<Cell>();
}

/// Indices of cells, fastest first.
std::vector<std::size_t> by_time(const std::vector<Cell>& cells) {
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t cell) { return cells[cell].log_time; });
  return order;
}

/// Blocks of the best cells whose figures are those that they are chosen by.
std::vector<BlockIndex> open_blocks(const std::vector<Cell>& cells, const std::vector<std::size_t>& order) {
  std::set<BlockIndex> open;
  if (cells.size() <= stats::rules::best_cells) return {};
  for (std::size_t place = 0; place < stats::rules::best_cells; ++place) {
    const Cell& cell = cells[order[place]];
    if (!cell.measured_again && cell.contrast != nullptr) open.insert(cell.contrast->block);
  }
  return {open.begin(), open.end()};
}

/// The leader is chosen by its figures, so each cell may be left out with a share of alpha only: the truly fastest one
/// is in the set with 1 - alpha, whichever cells it is left out against.
Fastest fastest_of(const Judge& judge, const Setting& setting, const std::vector<Cell>& cells) {
  Fastest found;
  found.where = setting.where;
  found.cells = cells.size();
  const auto order = by_time(cells);
  found.measured_again = static_cast<std::size_t>(std::ranges::count_if(cells, &Cell::measured_again));
  found.open = open_blocks(cells, order);
  const auto fresh = std::ranges::find_if(order, [&](std::size_t cell) { return cells[cell].measured_again; });
  const std::size_t leader = fresh == order.end() ? order.front() : *fresh;
  double margin = 0;
  for (const Contrast* contrast : setting.contrasts) margin = std::max(margin, margin_of(*contrast));
  const auto is_behind = [&](std::size_t cell, double alpha) {
    return is_slower(judge, cells[cell], cells[leader], margin, alpha);
  };
  const double alone = judge.options.alpha, together = alone / static_cast<double>(cells.size() - 1);
  std::vector<TrialIndex> unsure;
  found.trials.push_back(cells[leader].trial);
  for (const std::size_t cell : order) {
    if (cell == leader || is_behind(cell, together)) continue;
    (is_behind(cell, alone) ? unsure : found.trials).push_back(cells[cell].trial);
  }
  found.unsure = unsure.size();
  found.trials.insert(found.trials.end(), unsure.begin(), unsure.end());
  return found;
}

}  // namespace

std::vector<Fastest> fastest_of(const Judge& judge, const Contrasts& contrasts) {
  std::vector<Fastest> found;
  for (const Setting& setting : settings_of(judge.results, contrasts, judge.axes)) {
    const auto cells = cells_of(judge.results, setting);
    if (!cells.empty()) found.push_back(fastest_of(judge, setting, cells));
  }
  return found;
}

std::vector<Fastest> fastest_of(const results::Results& results, const Contrasts& contrasts) {
  return contrasts.contrasts.empty() ? std::vector<Fastest>() : fastest_of(judge_of(results), contrasts);
}

}  // namespace regatta::analysis
