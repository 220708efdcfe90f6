#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "analysis/contrasts/contrasts.hpp"
#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {
namespace {

/// Its contrasts with the baseline of its setting; none for that one itself.
struct Cell {
  TrialIndex trial;
  const Contrast* first = nullptr;  ///< by which it is chosen as one of the best
  const Contrast* again = nullptr;  ///< since it was chosen; nothing unless it was measured again
  bool measured_again = false;
};

/// By which of its contrasts a cell is judged.
using Seen = const Contrast* Cell::*;

struct Setting {
  std::string where;
  std::vector<const Contrast*> contrasts;
  std::vector<const Contrast*> replaced;
};

/// Over the baseline.
double log_time(const Contrast* contrast) { return contrast == nullptr ? 0 : std::log(contrast->ratio); }
double log_time(const Cell& cell) { return log_time(cell.again != nullptr ? cell.again : cell.first); }

/// Too few squares for one: nobody tried to tell it apart.
bool has_no_interval(const Cell& cell) {
  const Contrast* contrast = cell.again != nullptr ? cell.again : cell.first;
  return contrast != nullptr && !contrast->low;
}

/// A ratio that is not verified stands in its row, and no arm is called the fastest by it. Nor by a difference, which
/// has a unit of its own.
bool may_be_fastest(const Contrast& contrast) {
  return !contrast.difference && !contrast.flags.has(stats::Flag::close_work) &&
         !contrast.flags.has(stats::Flag::other_weights);
}

std::vector<Setting> settings_of(const results::Results& results, const Contrasts& all, const Axes& axes) {
  std::vector<Setting> settings;
  std::unordered_map<std::string, std::size_t> by_label;
  const auto setting_of = [&](const Contrast& contrast) -> Setting& {
    std::string where = label(results.trials[contrast.b.value].parameters, axes.stratum);
    const auto [entry, is_new] = by_label.try_emplace(where, settings.size());
    if (is_new) settings.push_back({std::move(where), {}, {}});
    return settings[entry->second];
  };
  for (const Contrast& contrast : all.contrasts)
    if (may_be_fastest(contrast)) setting_of(contrast).contrasts.push_back(&contrast);
  for (const Contrast& contrast : all.replaced)
    if (may_be_fastest(contrast)) setting_of(contrast).replaced.push_back(&contrast);
  return settings;
}

double margin_of(const Contrast& contrast) { return stats::indifference({.margin = contrast.margin}); }

/// The interval that the verdict over the baseline rests on (log).
stats::Range known_range(const Contrast& contrast) {
  if (contrast.over_calls) return {std::log(contrast.over_calls->low), std::log(contrast.over_calls->high)};
  return log_estimate(contrast).value_or(stats::Estimate()).range;
}

/// A clear interval without a verdict: something else speaks against the figure than the number of comparisons.
bool is_distrusted(const Contrast* contrast) {
  if (contrast == nullptr || contrast->verdict != stats::Verdict::undecided || contrast->one_of_many) return false;
  return stats::verdict_of(known_range(*contrast), margin_of(*contrast)) != stats::Verdict::undecided;
}

/// Whether the difference may be chance among so many comparisons: then it does not tell a cell from the baseline.
bool is_chance(const Contrast* contrast) { return contrast != nullptr && contrast->one_of_many; }

/// Where both took turns: the baseline stands in every block.
std::optional<BlockIndex> shared_block(const Contrast* a, const Contrast* b) {
  const Contrast* one = a != nullptr ? a : b;
  const Contrast* other = b != nullptr ? b : a;
  if (one == nullptr || has_replicates(*one) || has_replicates(*other) || one->block != other->block)
    return std::nullopt;
  return one->block;
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

/// One cell against another from what both share, at `alpha`: the replicates that both have, or the squares of their
/// block. A cell without a contrast is their baseline.
std::optional<stats::Judgement> judged(const Judge& judge, const Contrast* a, TrialIndex trial_a, const Contrast* b,
                                       TrialIndex trial_b, double alpha) {
  const auto is_joined = [](const Contrast* contrast) { return contrast == nullptr || has_replicates(*contrast); };
  if (is_joined(a) && is_joined(b) && (a != nullptr || b != nullptr)) return judge_joined(judge, a, b, alpha);
  const auto block = shared_block(a, b);
  return block ? judged(judge, *block, trial_a, trial_b, alpha) : std::nullopt;
}

/// Log time over the baseline.
stats::Range range_of(const Judge& judge, const Contrast* contrast, double alpha) {
  if (contrast == nullptr) return {0, 0};
  stats::Range range = known_range(*contrast);
  if (const auto found = judged(judge, contrast, contrast->a, nullptr, contrast->b, alpha))
    range = found->over_call_lengths;
  if (is_chance(contrast)) range = {std::min(range.low, 0.0), std::max(range.high, 0.0)};
  return range;
}

/// The cells of a setting, and how they are told apart: those that were measured again by the squares that they shared
/// then, all others by those in which they were measured first.
class Race {
 public:
  Race(const Judge& judge, const Setting& setting, const std::vector<Cell>& cells) : judge_(judge), cells_(cells) {
    for (const Contrast* contrast : setting.contrasts) margin_ = std::max(margin_, margin_of(*contrast));
    again_ = static_cast<std::size_t>(std::ranges::count_if(cells, &Cell::measured_again));
  }

  [[nodiscard]] std::size_t measured_again() const { return again_; }

  /// The cell of the least time, among those that were measured again if some were.
  [[nodiscard]] std::size_t leader() const {
    const auto order = by_time([](const Cell& cell) { return log_time(cell); });
    const auto fresh = std::ranges::find_if(order, [&](std::size_t cell) { return cells_[cell].measured_again; });
    return fresh == order.end() ? order.front() : *fresh;
  }

  /// Whether the leader or the baseline is known to be faster, for one cell alone, or for all together. The leader is
  /// chosen by its figures, so each cell may be left out with a share of alpha only; and the best are chosen by a first
  /// pass and told apart by another, so each of these errs in half of alpha. The truly fastest one is in the set with
  /// 1 - alpha, whichever cells it is left out against.
  [[nodiscard]] bool is_behind(std::size_t cell, std::size_t leader, bool together) const {
    return is_behind_one(cell, leader, together) || (cell != 0 && is_behind_one(cell, 0, together));
  }

  /// Whether the whole interval says slower than the leader or the baseline though no verdict does, as where every
  /// slice was disturbed: such a cell stays in the set, but nobody may call it not told apart.
  [[nodiscard]] bool lies_above(std::size_t cell, std::size_t leader) const {
    return lies_above_one(cell, leader) || (cell != 0 && lies_above_one(cell, 0));
  }

  /// The best of the first pass: all that it does not know to be slower before the others, each by time.
  [[nodiscard]] std::vector<std::size_t> chosen() const {
    auto order = by_time([](const Cell& cell) { return log_time(cell.first); });
    const std::size_t leader = order.front();
    const double alpha = judge_.options.alpha / static_cast<double>(stats::exclusions(cells_.size(), false));
    std::ranges::stable_partition(order, [&](std::size_t cell) {
      return cell == leader || !is_slower(cells_[cell], cells_[leader], &Cell::first, alpha);
    });
    order.resize(std::min(order.size(), stats::rules::best_cells));
    return order;
  }

  /// Indices of cells, fastest first.
  template <class Time>
  [[nodiscard]] std::vector<std::size_t> by_time(Time&& time) const {
    std::vector<std::size_t> order(cells_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t cell) { return time(cells_[cell]); });
    return order;
  }

 private:
  [[nodiscard]] bool is_behind_one(std::size_t cell, std::size_t other, bool together) const {
    const bool is_again = cells_[cell].measured_again && cells_[other].measured_again;
    const bool in_two_passes = again_ > 0 && again_ < cells_.size();
    const std::size_t among = is_again ? again_ : cells_.size();
    const auto shares = together ? static_cast<double>(stats::exclusions(among, in_two_passes)) : 1;
    return is_slower(cells_[cell], cells_[other], is_again ? &Cell::again : &Cell::first,
                     judge_.options.alpha / shares);
  }

  [[nodiscard]] bool lies_above_one(std::size_t cell, std::size_t other) const {
    const bool is_again = cells_[cell].measured_again && cells_[other].measured_again;
    const Seen seen = is_again ? &Cell::again : &Cell::first;
    const Contrast *a = cells_[cell].*seen, *b = cells_[other].*seen;
    const double alpha = judge_.options.alpha;
    if (const auto found = judged(judge_, a, cells_[cell].trial, b, cells_[other].trial, alpha))
      return stats::verdict_of(found->over_call_lengths, margin_) == stats::Verdict::slower;
    return range_of(judge_, a, alpha / 2).low - range_of(judge_, b, alpha / 2).high >= margin_;
  }

  /// From squares that both share, over the baseline only where they share none.
  [[nodiscard]] bool is_slower(const Cell& cell, const Cell& leader, Seen seen, double alpha) const {
    const Contrast *a = cell.*seen, *b = leader.*seen;
    if (is_distrusted(a) || is_distrusted(b)) return false;
    const bool with_baseline = a == nullptr || b == nullptr;
    if (with_baseline && (is_chance(a) || is_chance(b))) return false;
    if (const auto found = judged(judge_, a, cell.trial, b, leader.trial, alpha))
      return found->verdict == stats::Verdict::slower;
    return range_of(judge_, a, alpha / 2).low - range_of(judge_, b, alpha / 2).high >= margin_;
  }

  const Judge& judge_;
  const std::vector<Cell>& cells_;
  double margin_ = 0;
  std::size_t again_ = 0;
};

/// Empty if some have no contrast with the baseline of the first ones.
std::vector<Cell> cells_of(const results::Results& results, const Setting& setting) {
  const Contrast& one = *setting.contrasts.front();
  std::vector<Cell> cells = {{one.b}};
  std::set<TrialIndex> known = {one.b};
  for (const Contrast* contrast : setting.contrasts) {
    if (contrast->b != one.b || !known.insert(contrast->a).second) continue;
    const auto before = std::ranges::find_if(setting.replaced, [&](const Contrast* replaced) {
      return replaced->a == contrast->a && replaced->b == contrast->b;
    });
    const bool again = !has_replicates(*contrast) && results.blocks[contrast->block.value].measured_again;
    cells.push_back(
        {contrast->a, before == setting.replaced.end() ? contrast : *before, again ? contrast : nullptr, again});
    cells.front().measured_again |= again;
  }
  const auto is_known = [&](const Contrast* contrast) {
    return known.contains(contrast->a) && known.contains(contrast->b);
  };
  return std::ranges::all_of(setting.contrasts, is_known) ? cells : std::vector<Cell>();
}

/// The best cells behind their baseline, if the figures of some are those that they are chosen by. A final is of one
/// block: replicates have none.
std::vector<TrialIndex> due_of(const std::vector<Cell>& cells, const Race& race) {
  const bool is_joined =
      std::ranges::any_of(cells, [](const Cell& cell) { return cell.first != nullptr && has_replicates(*cell.first); });
  if (is_joined || cells.size() <= stats::rules::best_cells) return {};
  const auto chosen = race.chosen();
  if (std::ranges::all_of(chosen, [&](std::size_t cell) { return cell == 0 || cells[cell].measured_again; })) return {};
  std::set<TrialIndex> others;  // in the order of the plan: the same ones are the same final
  for (const std::size_t cell : chosen) {
    if (cell != 0) others.insert(cells[cell].trial);
  }
  std::vector<TrialIndex> due = {cells.front().trial};
  due.insert(due.end(), others.begin(), others.end());
  return due;
}

Fastest fastest_of(const Judge& judge, const Setting& setting, const std::vector<Cell>& cells) {
  const Race race(judge, setting, cells);
  Fastest found;
  found.where = setting.where;
  found.cells = cells.size();
  found.measured_again = race.measured_again();
  found.due = due_of(cells, race);
  const std::size_t leader = race.leader();
  std::vector<TrialIndex> unsure, distrusted;
  found.trials.push_back(cells[leader].trial);
  for (const std::size_t cell : race.by_time([](const Cell& each) { return log_time(each); })) {
    if (cell == leader || race.is_behind(cell, leader, true)) continue;
    const bool is_unsure = race.is_behind(cell, leader, false) || has_no_interval(cells[cell]);
    const bool is_distrusted = !is_unsure && race.lies_above(cell, leader);
    (is_unsure ? unsure : is_distrusted ? distrusted : found.trials).push_back(cells[cell].trial);
    const bool is_confirmed = found.measured_again == 0 || cells[cell].measured_again;
    if (!is_unsure && !is_distrusted && !is_confirmed) found.unconfirmed.push_back(cells[cell].trial);
  }
  unsure.insert(unsure.end(), distrusted.begin(), distrusted.end());
  found.unsure = unsure.size();
  found.distrusted = distrusted.size();
  found.trials.insert(found.trials.end(), unsure.begin(), unsure.end());
  return found;
}

}  // namespace

std::vector<Fastest> fastest_of(const Judge& judge, const Contrasts& contrasts) {
  std::vector<Fastest> found;
  if (contrasts.result && contrasts.result->better == sweep::Better::higher)
    return found;  // the lowest is not asked for
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
