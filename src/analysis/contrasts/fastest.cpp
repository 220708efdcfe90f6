#include "regatta/analysis/fastest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::analysis {
namespace {

/// Over the baseline of its setting, which is a cell itself.
struct Cell {
  TrialIndex trial;
  std::optional<BlockIndex> block;  ///< nothing for the baseline, which stands in every block
  stats::Estimate log_time;
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

double margin_of(const Contrast& contrast) { return std::log1p(std::max(contrast.margin, contrast.floor)); }

/// A clear interval without a verdict: something else speaks against the figure.
bool is_distrusted(const Contrast& contrast, const stats::Range& range) {
  const bool is_clear = range.low > margin_of(contrast) || range.high < -margin_of(contrast);
  return is_clear && contrast.verdict == stats::Verdict::undecided;
}

/// A doubtful verdict does not tell a cell from the baseline.
stats::Estimate log_time(const Contrast& contrast) {
  stats::Estimate time{std::log(contrast.ratio), {}};
  const auto known = log_estimate(contrast);
  if (!known || is_distrusted(contrast, known->range)) return time;
  time.range = known->range;
  if (!contrast.survives) time.range = {std::min(time.range.low, 0.0), std::max(time.range.high, 0.0)};
  return time;
}

/// Empty if some have no contrast with the baseline of the first ones.
std::vector<Cell> cells_of(const results::Results& results, const Setting& setting) {
  const Contrast& first = *setting.contrasts.front();
  std::vector<Cell> cells = {{first.b, std::nullopt, {0, {0, 0}}, false}};
  std::set<TrialIndex> known = {first.b};
  for (const Contrast* contrast : setting.contrasts) {
    if (contrast->b != first.b || !known.insert(contrast->a).second) continue;
    const bool again = results.blocks[contrast->block.value].measured_again;
    cells.push_back({contrast->a, contrast->block, log_time(*contrast), again});
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
  std::ranges::stable_sort(order, {}, [&](std::size_t cell) { return cells[cell].log_time.value; });
  return order;
}

/// Blocks of the best cells whose figures are those that they are chosen by.
std::vector<BlockIndex> open_blocks(const std::vector<Cell>& cells, const std::vector<std::size_t>& order) {
  std::set<BlockIndex> open;
  if (cells.size() <= stats::rules::best_cells) return {};
  for (std::size_t place = 0; place < stats::rules::best_cells; ++place) {
    const Cell& cell = cells[order[place]];
    if (!cell.measured_again && cell.block) open.insert(*cell.block);
  }
  return {open.begin(), open.end()};
}

Fastest fastest_of(const Setting& setting, const std::vector<Cell>& cells) {
  Fastest found{setting.where, cells.size(), {}, 0, {}};
  const auto order = by_time(cells);
  found.measured_again = static_cast<std::size_t>(std::ranges::count_if(cells, &Cell::measured_again));
  found.open = open_blocks(cells, order);
  const auto fresh = std::ranges::find_if(order, [&](std::size_t cell) { return cells[cell].measured_again; });
  const std::size_t leader = fresh == order.end() ? order.front() : *fresh;
  std::vector<stats::Estimate> times;
  for (const Cell& cell : cells) times.push_back(cell.log_time);
  double margin = 0;
  for (const Contrast* contrast : setting.contrasts) margin = std::max(margin, margin_of(*contrast));
  for (const std::size_t cell : stats::fastest_set(times, leader, margin)) found.trials.push_back(cells[cell].trial);
  return found;
}

}  // namespace

std::vector<Fastest> fastest_of(const results::Results& results, const Contrasts& contrasts, const Axes& axes) {
  std::vector<Fastest> found;
  for (const Setting& setting : settings_of(results, contrasts, axes)) {
    const auto cells = cells_of(results, setting);
    if (!cells.empty()) found.push_back(fastest_of(setting, cells));
  }
  return found;
}

}  // namespace regatta::analysis
