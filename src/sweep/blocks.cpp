#include "sweep/blocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "sweep/json_text.hpp"
#include "sweep/problem.hpp"

namespace regatta::sweep {
namespace {

/// Points that are equal in every axis but those compared.
struct Group {
  std::vector<std::uint32_t> points;
  std::uint32_t baseline = no_trial;  ///< no_trial: every point that it matches is excluded
};

/// A baseline and all that is compared with it, from one group or from several that share the baseline because
/// it does not read what tells them apart. Without a runnable baseline: what is left of one group.
struct Comparison {
  std::vector<std::size_t> groups;
  std::uint32_t baseline = no_trial;
  std::string why_none;  ///< why there is no baseline
};

void add_block(const std::vector<Trial>& trials, std::vector<TrialIndex> arms, bool has_baseline, Plan& plan) {
  Block block;
  block.index = BlockIndex{static_cast<std::uint32_t>(plan.blocks.size())};
  std::string identity;
  for (const TrialIndex arm : arms) {
    const Parameters& parameters = trials[arm.value].parameters;
    identity += to_string(trials[arm.value].hash);
    if (const auto* ranks = std::get_if<std::int64_t>(&parameters[Param::ranks]))
      block.demand.ranks = std::max(block.demand.ranks, *ranks);
    if (const auto* cores = std::get_if<std::int64_t>(&parameters[Param::threads]))
      block.demand.cores = std::max(block.demand.cores, *cores);
    if (parameters[Param::device] == Value(std::string("cuda"))) block.demand.device = DeviceKind::cuda;
  }
  block.hash = hash128(identity);
  block.arms = std::move(arms);
  block.has_baseline = has_baseline;
  plan.blocks.push_back(std::move(block));
}

/// At most max_arms to a block. Full blocks first: a level added at the end leaves the earlier blocks as they were.
void add_blocks(const std::vector<Trial>& trials, std::optional<TrialIndex> baseline,
                const std::vector<TrialIndex>& others, Plan& plan) {
  const std::size_t room = max_arms - (baseline ? 1 : 0);
  for (std::size_t first = 0; first < others.size(); first += room) {
    std::vector<TrialIndex> arms;
    if (baseline) arms.push_back(*baseline);
    const auto from = others.begin() + static_cast<std::ptrdiff_t>(first);
    arms.insert(arms.end(), from, from + static_cast<std::ptrdiff_t>(std::min(room, others.size() - first)));
    add_block(trials, std::move(arms), baseline.has_value(), plan);
  }
}

class Comparer {
 public:
  Comparer(const Sweep& sweep, const Grid& grid, const Expansion& expansion, Plan& plan)
      : sweep_(sweep), grid_(grid), expansion_(expansion), trials_(expansion.trials), plan_(plan) {
    placed_.assign(trials_.size(), false);
    seen_by_.assign(trials_.size(), no_trial);
  }

  void run() {
    group_points();
    find_baselines();
    const std::vector<Comparison> comparisons = make_comparisons();
    std::vector<std::vector<TrialIndex>> others(comparisons.size());
    // Comparisons first: an arm that has a contrast elsewhere needs no block without one.
    for (const bool with_baseline : {true, false}) {
      for (std::size_t i = 0; i < comparisons.size(); ++i) {
        if ((comparisons[i].baseline != no_trial) == with_baseline)
          others[i] = arms_beside(comparisons[i], static_cast<std::uint32_t>(i));
      }
    }
    for (std::size_t i = 0; i < comparisons.size(); ++i) emit(comparisons[i], others[i]);
  }

 private:
  [[nodiscard]] std::vector<bool> compared_axes() const {
    std::vector<bool> compared(grid_.axes.size(), false);
    for (std::size_t i = 0; i < sweep_.compare->over.size(); ++i) {
      const Param param = sweep_.compare->over[i];
      const auto axis = grid_.axis_of(param);
      if (!axis) {
        std::vector<std::string> names;
        for (const Axis& known : grid_.axes) names.emplace_back(info(known.param).name);
        refuse(place_in(sweep_, fmt::format("/compare/over/{}", i)),
               {fmt::format("{}, which is no axis of this sweep", quote(info(param).name)), one_of(names), ""});
      }
      compared[*axis] = true;
    }
    return compared;
  }

  void group_points() {
    const std::vector<bool> compared = compared_axes();
    std::vector<std::uint32_t> group_of_key(grid_.points, no_trial);
    Digits digits(grid_.axes.size(), 0);
    for (std::uint32_t point = 0; point < grid_.points; ++point, advance(grid_, digits)) {
      if (expansion_.trial_of_point[point] == no_trial) continue;
      std::uint64_t key = 0;
      for (std::size_t i = 0; i < digits.size(); ++i) key += compared[i] ? 0 : digits[i] * grid_.strides[i];
      std::uint32_t& group = group_of_key[key];
      if (group == no_trial) {
        group = static_cast<std::uint32_t>(groups_.size());
        groups_.emplace_back();
      }
      groups_[group].points.push_back(point);
    }
  }

  [[nodiscard]] std::string baseline_text() const {
    std::vector<std::string> pairs;
    for (const auto& [param, value] : sweep_.compare->baseline)
      pairs.push_back(fmt::format("{}:{}", quote(info(param).name), to_json(value)));
    return fmt::format("{{{}}}", fmt::join(pairs, ","));
  }

  [[noreturn]] void refuse_baseline(const std::string& why) const {
    refuse(place_in(sweep_, "/compare/baseline"),
           {fmt::format("{}, which {}", baseline_text(), why), "it to match exactly one arm of each comparison", ""});
  }

  /// The baseline's level in each axis that it names.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> baseline_digits() const {
    std::vector<std::pair<std::size_t, std::size_t>> digits;
    for (const auto& [param, value] : sweep_.compare->baseline) {
      const auto axis = grid_.axis_of(param);
      const auto level = axis ? level_of(grid_.axes[*axis], value) : std::nullopt;
      if (!level)
        refuse_baseline(
            fmt::format("matches no arm ({} is no level of the axis {})", to_json(value), info(param).name));
      digits.emplace_back(*axis, *level);
    }
    return digits;
  }

  void find_baselines() {
    const auto wanted = baseline_digits();
    bool found = false;
    for (Group& group : groups_) {
      for (const std::uint32_t point : group.points) {
        const bool matches = std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
          return point / grid_.strides[pair.first] % grid_.axes[pair.first].levels.size() == pair.second;
        });
        if (!matches) continue;
        const std::uint32_t trial = expansion_.trial_of_point[point];
        if (group.baseline != no_trial && group.baseline != trial) {
          refuse_baseline(
              fmt::format("matches more than one arm ({} and {})", arm_text(group.baseline), arm_text(trial)));
        }
        group.baseline = trial;
        found = true;
      }
    }
    if (!found) refuse_baseline("matches no arm (exclude removes it everywhere)");
  }

  /// "engine native, mode eager": an arm told by what is compared.
  [[nodiscard]] std::string arm_text(std::uint32_t trial) const {
    std::vector<std::string> pairs;
    for (const Param param : sweep_.compare->over) {
      pairs.push_back(fmt::format("{} {}", info(param).name, to_text(trials_[trial].parameters[param])));
    }
    return fmt::format("{}", fmt::join(pairs, ", "));
  }

  /// In order of first appearance.
  [[nodiscard]] std::vector<Comparison> make_comparisons() const {
    std::vector<Comparison> comparisons;
    std::unordered_map<std::uint32_t, std::size_t> of_baseline;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::uint32_t baseline = groups_[i].baseline;
      if (baseline == no_trial) {
        comparisons.push_back({{i}, no_trial, "it is excluded"});
      } else if (trials_[baseline].skip_reason) {
        comparisons.push_back({{i}, no_trial, *trials_[baseline].skip_reason});
      } else if (const auto [known, is_new] = of_baseline.try_emplace(baseline, comparisons.size()); is_new) {
        comparisons.push_back({{i}, baseline, {}});
      } else {
        comparisons[known->second].groups.push_back(i);
      }
    }
    return comparisons;
  }

  /// Runnable trials of the comparison but its baseline; without one, those that stand in no other block.
  std::vector<TrialIndex> arms_beside(const Comparison& comparison, std::uint32_t id) {
    std::vector<TrialIndex> others;
    const bool has_baseline = comparison.baseline != no_trial;
    if (has_baseline) placed_[comparison.baseline] = true;
    for (const std::size_t group : comparison.groups) {
      for (const std::uint32_t point : groups_[group].points) {
        const std::uint32_t trial = expansion_.trial_of_point[point];
        if (trials_[trial].skip_reason || trial == comparison.baseline || seen_by_[trial] == id) continue;
        seen_by_[trial] = id;
        if (!has_baseline && placed_[trial]) continue;
        placed_[trial] = true;
        others.push_back(TrialIndex{trial});
      }
    }
    return others;
  }

  void emit(const Comparison& comparison, const std::vector<TrialIndex>& others) {
    if (comparison.baseline == no_trial) {
      add_blocks(trials_, std::nullopt, others, plan_);
      note(others, "no baseline here: " + comparison.why_none);
    } else if (others.empty()) {
      const std::vector<TrialIndex> alone = {TrialIndex{comparison.baseline}};
      add_blocks(trials_, std::nullopt, alone, plan_);
      note(alone, "nothing to compare with the baseline here: every other arm is skipped, excluded or merged with it");
    } else {
      add_blocks(trials_, TrialIndex{comparison.baseline}, others, plan_);
    }
  }

  /// One line for a reason, however many comparisons share it.
  void note(const std::vector<TrialIndex>& trials, const std::string& reason) {
    if (trials.empty()) return;
    const auto [known, is_new] = line_of_reason_.try_emplace(reason, plan_.no_contrasts.size());
    if (is_new) plan_.no_contrasts.push_back({{}, reason});
    auto& listed = plan_.no_contrasts[known->second].trials;
    listed.insert(listed.end(), trials.begin(), trials.end());
  }

  const Sweep& sweep_;
  const Grid& grid_;
  const Expansion& expansion_;
  const std::vector<Trial>& trials_;
  Plan& plan_;
  std::vector<Group> groups_;
  std::vector<bool> placed_;            ///< the trial stands in a block
  std::vector<std::uint32_t> seen_by_;  ///< the comparison that met the trial last
  std::map<std::string, std::size_t> line_of_reason_;
};

/// Clones go to the comparisons with the lowest identities, those with room left first: no choice of ours, and the
/// same in each session.
void add_clones(Plan& plan) {
  std::vector<Block*> compared;
  std::size_t contrasts = 0;
  for (Block& block : plan.blocks) {
    if (!block.has_baseline) continue;
    compared.push_back(&block);
    contrasts += block.arms.size() - 1;
  }
  const std::size_t wanted = std::max(fewest_clones, (contrasts + contrasts_per_clone - 1) / contrasts_per_clone);
  std::ranges::sort(compared, {},
                    [](const Block* block) { return std::pair(block->arms.size() == max_arms, block->hash); });
  compared.resize(std::min(wanted, compared.size()));
  for (Block* block : compared) {
    block->arms.push_back(block->arms.front());
    block->has_clone = true;
  }
}

}  // namespace

void form_blocks(const Sweep& sweep, const Grid& grid, const Expansion& expansion, Plan& plan) {
  if (sweep.compare) {
    Comparer(sweep, grid, expansion, plan).run();
    return add_clones(plan);
  }
  for (const Trial& trial : expansion.trials) {
    if (!trial.skip_reason) add_block(expansion.trials, {trial.index}, false, plan);
  }
}

}  // namespace regatta::sweep
