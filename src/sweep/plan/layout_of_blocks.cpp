#include "sweep/plan/layout_of_blocks.hpp"

#include <algorithm>
#include <map>

#include "regatta/stats/rules.hpp"
#include "sweep/plan/comparison_groups.hpp"
#include "sweep/plan/comparison_pairs.hpp"

namespace regatta::sweep {
namespace {

constexpr std::uint32_t no_group = no_trial;

/// A baseline and all that is compared with it, from one group or from several that share the baseline because it does
/// not read what tells them apart. Without a runnable baseline: what is left of one group.
struct Comparison {
  std::uint32_t first_group;
  std::uint32_t last_group;
  std::uint32_t baseline;
  std::uint32_t skip = 0;      ///< why the baseline does not run; 0: it is excluded
  std::uint32_t begin = 0;     ///< its other arms
  std::uint32_t optional = 0;  ///< the first of them of an optional engine
  std::uint32_t end = 0;
};

class Arranger {
 public:
  Arranger(const Kinds& kinds, const Expansion& expansion) : kinds_(kinds), expansion_(expansion) {}

  Arrangement each_alone() {
    for (std::uint32_t trial = 0; trial < expansion_.trials(); ++trial) {
      if (expansion_.runs(trial)) add_block({}, {trial});
    }
    return std::move(out_);
  }

  Arrangement beside_baselines(const Groups& groups) {
    placed_.assign(expansion_.trials(), false);
    seen_by_.assign(expansion_.trials(), no_trial);
    std::vector<Comparison> comparisons = make_comparisons(groups);
    // Comparisons first: an arm that has a contrast elsewhere needs no block without one.
    for (const bool with_baseline : {true, false}) {
      for (std::uint32_t i = 0; i < comparisons.size(); ++i) {
        if ((comparisons[i].baseline != no_trial) == with_baseline) find_others(groups, comparisons[i], i);
      }
    }
    for (const Comparison& comparison : comparisons) emit(comparison);
    for (const Comparison& comparison : comparisons) emit_optional(comparison);
    return std::move(out_);
  }

  Arrangement in_pairs(const std::vector<Pair>& pairs, const std::string& why_alone) {
    placed_.assign(expansion_.trials(), false);
    for (std::size_t first = 0; first < pairs.size();) {
      others_.clear();
      const std::uint32_t baseline = pairs[first].baseline;
      for (; first < pairs.size() && pairs[first].baseline == baseline; ++first) {
        others_.push_back(pairs[first].other);
        placed_[pairs[first].other] = true;
      }
      placed_[baseline] = true;
      add_blocks({&baseline, 1}, others_);
    }
    std::vector<std::uint32_t> alone;
    for (std::uint32_t trial = 0; trial < expansion_.trials(); ++trial) {
      if (!expansion_.runs(trial) || placed_[trial]) continue;
      add_block({}, {trial});
      alone.push_back(trial);
    }
    note(alone, why_alone);
    return std::move(out_);
  }

 private:
  using Arms = std::span<const std::uint32_t>;

  void add_block(Arms baseline, Arms others) {
    out_.arms.insert(out_.arms.end(), baseline.begin(), baseline.end());
    out_.arms.insert(out_.arms.end(), others.begin(), others.end());
    out_.ends.push_back(static_cast<std::uint32_t>(out_.arms.size()));
    out_.has_baseline.push_back(!baseline.empty());
  }
  void add_block(Arms baseline, std::initializer_list<std::uint32_t> others) {
    add_block(baseline, Arms(others.begin(), others.size()));
  }

  /// At most max_arms to a block. Full blocks first: a level added at the end leaves the earlier blocks as they were.
  void add_blocks(Arms baseline, Arms others) {
    const std::size_t room = max_arms - baseline.size();
    for (std::size_t first = 0; first < others.size(); first += room)
      add_block(baseline, others.subspan(first, std::min(room, others.size() - first)));
  }

  /// In order of first appearance.
  std::vector<Comparison> make_comparisons(const Groups& groups) {
    std::vector<Comparison> comparisons;
    std::vector<std::uint32_t> of_baseline(expansion_.trials(), no_trial);
    next_.assign(groups.size(), no_group);
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
      const std::uint32_t baseline = groups.baseline[group];
      const bool runs = baseline != no_trial && expansion_.runs(baseline);
      if (runs && of_baseline[baseline] != no_trial) {
        Comparison& known = comparisons[of_baseline[baseline]];
        next_[known.last_group] = group;
        known.last_group = group;
        continue;
      }
      if (runs) of_baseline[baseline] = static_cast<std::uint32_t>(comparisons.size());
      Comparison comparison{group, group, runs ? baseline : no_trial};
      if (baseline != no_trial) comparison.skip = expansion_.skip_of_trial[baseline];
      comparisons.push_back(comparison);
    }
    return comparisons;
  }

  /// Runnable trials of the comparison but its baseline; without one, those that stand in no other block.
  void find_others(const Groups& groups, Comparison& comparison, std::uint32_t id) {
    const bool has_baseline = comparison.baseline != no_trial;
    if (has_baseline) placed_[comparison.baseline] = true;
    comparison.begin = static_cast<std::uint32_t>(others_.size());
    for (std::uint32_t group = comparison.first_group; group != no_group; group = next_[group]) {
      for (std::size_t i = groups.begin_of(group); i < groups.ends[group]; ++i) {
        const std::uint32_t trial = groups.members[i];
        if (!expansion_.runs(trial) || trial == comparison.baseline || seen_by_[trial] == id) continue;
        seen_by_[trial] = id;
        if (!has_baseline && placed_[trial]) continue;
        placed_[trial] = true;
        others_.push_back(trial);
      }
    }
    comparison.end = static_cast<std::uint32_t>(others_.size());
    comparison.optional = comparison.end;
    if (!has_baseline) return;
    const auto others = others_.begin() + comparison.begin;
    const auto optional = std::stable_partition(others, others_.end(),
                                                [&](std::uint32_t trial) { return !expansion_.is_optional(trial); });
    comparison.optional = comparison.begin + static_cast<std::uint32_t>(optional - others);
  }

  void emit(const Comparison& comparison) {
    const Arms others(others_.data() + comparison.begin, comparison.optional - comparison.begin);
    const Arms baseline(&comparison.baseline, 1);
    if (comparison.baseline == no_trial) {
      add_blocks({}, others);
      note(others,
           "no baseline here: " + (comparison.skip == 0 ? "it is excluded" : kinds_.reasons()[comparison.skip]));
    } else if (comparison.begin == comparison.end) {
      add_blocks({}, baseline);
      note(baseline, nothing_beside_baseline);
    } else {
      add_blocks(baseline, others);
    }
  }

  /// In blocks of their own, after all others: what was asked for in any case is measured as it is without them, and
  /// stands when somebody stops waiting for theirs.
  void emit_optional(const Comparison& comparison) {
    add_blocks({&comparison.baseline, 1},
               Arms(others_.data() + comparison.optional, comparison.end - comparison.optional));
  }

  /// One line for a reason, however many comparisons share it.
  void note(Arms trials, const std::string& reason) {
    if (trials.empty()) return;
    const auto [known, is_new] = line_of_reason_.try_emplace(reason, out_.no_contrasts.size());
    if (is_new) out_.no_contrasts.push_back({{}, reason});
    auto& listed = out_.no_contrasts[known->second].trials;
    listed.insert(listed.end(), trials.begin(), trials.end());
  }

  static constexpr const char* nothing_beside_baseline =
      "nothing to compare with the baseline here: every other arm is skipped, excluded or merged with it";

  const Kinds& kinds_;
  const Expansion& expansion_;
  Arrangement out_;
  std::vector<bool> placed_;            ///< the trial stands in a block
  std::vector<std::uint32_t> seen_by_;  ///< the comparison that met the trial last
  std::vector<std::uint32_t> next_;     ///< the group after this one in its comparison
  std::vector<std::uint32_t> others_;   ///< arms beside baselines
  std::map<std::string, std::size_t> line_of_reason_;
};

}  // namespace

Arrangement arrange(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion) {
  if (!sweep.compare) return Arranger(kinds, expansion).each_alone();
  const Groups groups = group_points(sweep, points, kinds, expansion);
  if (sweep.compare->pairs == Pairs::baseline) return Arranger(kinds, expansion).beside_baselines(groups);
  const std::vector<Pair> pairs = pair_up(sweep, points, kinds, expansion, groups);
  return Arranger(kinds, expansion).in_pairs(pairs, why_unpaired(sweep.compare->pairs));
}

std::size_t clones_wanted(std::size_t contrasts) {
  using stats::rules::contrasts_per_clone;
  return std::max(stats::rules::fewest_clones, (contrasts + contrasts_per_clone - 1) / contrasts_per_clone);
}

}  // namespace regatta::sweep
