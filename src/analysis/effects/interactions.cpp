#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/effects/effects.hpp"
#include "analysis/judging/judging.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/stats/two_samples.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

/// Arms of a block: a the baseline, b another level of `factor`, c of `other`, d of both.
struct Quartet {
  Param factor;
  Param other;
  std::array<std::size_t, 4> arms;
};

/// The arm whose parameters are those of `wanted`, own axes included.
std::optional<std::size_t> arm_with(const results::Results& results, const results::BlockRow& block,
                                    const sweep::Parameters& wanted, std::size_t arms) {
  for (std::size_t at = 0; at < arms; ++at) {
    if (results.trials[block.arms[at].value].parameters == wanted) return at;
  }
  return std::nullopt;
}

std::vector<Quartet> quartets(const results::Results& results, const results::BlockRow& block,
                              const std::vector<Param>& over) {
  std::vector<Quartet> found;
  const std::size_t arms = block.arms.size() - (block.has_clone ? 1 : 0);
  const auto& base = results.trials[block.arms[0].value].parameters;
  for (std::size_t d = 1; d < arms; ++d) {
    const auto& both = results.trials[block.arms[d].value].parameters;
    std::vector<Param> differing;
    std::ranges::copy_if(over, std::back_inserter(differing), [&](Param param) { return both[param] != base[param]; });
    if (differing.size() != 2) continue;
    sweep::Parameters of_b = both;
    sweep::Parameters of_c = both;
    // The factor that is named last is asked about: over ["engine", "mode"] asks what a mode does in each engine.
    of_b.set(differing[0], base[differing[0]]);
    of_c.set(differing[1], base[differing[1]]);
    const auto b = arm_with(results, block, of_b, arms);
    const auto c = arm_with(results, block, of_c, arms);
    if (b && c) found.push_back({differing[1], differing[0], {0, *b, *c, d}});
  }
  return found;
}

/// By square: time, work and process of an arm.
struct OfSquare {
  double seconds = 0;
  double work = 0;
  std::uint32_t process = 0;
};
std::map<std::uint32_t, OfSquare> by_square(const std::vector<stats::SliceValue>& slices) {
  std::map<std::uint32_t, OfSquare> squares;
  for (const auto& slice : slices) {
    OfSquare& square = squares[slice.square];
    square.seconds += slice.seconds;
    square.work += slice.work;
    square.process = slice.process;
  }
  return squares;
}

/// Seconds and work of the four arms, in the squares that one set of processes served.
struct OfProcesses {
  std::array<double, 4> seconds = {};
  std::array<double, 4> work = {};
  std::size_t squares = 0;

  [[nodiscard]] double log_ratio(std::size_t a, std::size_t b) const {
    return std::log(seconds[a] / work[a] / (seconds[b] / work[b]));
  }
};

/// In the order of time, from the squares in which all four took part.
std::vector<OfProcesses> processes_of(const BlockValues& values, const Quartet& quartet) {
  std::array<std::map<std::uint32_t, OfSquare>, 4> squares;
  for (std::size_t i = 0; i < 4; ++i) squares[i] = by_square(values[quartet.arms[i]]);
  std::map<std::uint32_t, OfProcesses> found;
  for (const auto& [number, of_first] : squares[0]) {
    if (!std::ranges::all_of(squares, [&, at = number](const auto& each) { return each.contains(at); })) continue;
    OfProcesses& processes = found[of_first.process];
    ++processes.squares;
    for (std::size_t i = 0; i < 4; ++i) {
      processes.seconds[i] += squares[i].at(number).seconds;
      processes.work[i] += squares[i].at(number).work;
    }
  }
  std::vector<OfProcesses> all;
  for (const auto& [process, of_all] : found) all.push_back(of_all);
  return all;
}

/// All of its cells were measured again in another block, which has the quartet, too.
bool is_replaced(const Replaced& replaced, const results::BlockRow& block, const Quartet& quartet) {
  return std::ranges::all_of(quartet.arms, [&](std::size_t arm) { return arm == 0 || replaced.contains(block, arm); });
}

/// Sets of four processes are the units, as pairs are of a contrast (R4).
Interaction interaction_of(const BlockValues& values, const Quartet& quartet, BlockIndex block,
                           const stats::JudgeOptions& options) {
  std::vector<double> at_base, at_other, differences;
  Interaction found;
  found.factor = quartet.factor;
  found.other = quartet.other;
  found.block = block;
  for (const OfProcesses& processes : processes_of(values, quartet)) {
    found.squares += processes.squares;
    at_base.push_back(processes.log_ratio(1, 0));
    at_other.push_back(processes.log_ratio(3, 2));
    differences.push_back(at_other.back() - at_base.back());
  }
  if (differences.empty()) return found;
  found.ratio_at_baseline = std::exp(stats::median(at_base));
  found.ratio_at_other = std::exp(stats::median(at_other));
  const auto judgement = stats::judge_units(differences, options);
  found.ratio = std::exp(judgement.estimate);
  if (!std::isfinite(judgement.low) || !std::isfinite(judgement.high) || judgement.low > judgement.high) return found;
  found.low = std::exp(judgement.low);
  found.high = std::exp(judgement.high);
  return found;
}

}  // namespace

std::vector<Interaction> interactions_of(const Judge& judge) {
  const auto& spec = judge.spec;
  if (!spec || !spec->compare || spec->compare->over.size() < 2) return {};
  const results::Results& results = judge.results;
  const Replaced replaced(results);
  std::vector<Interaction> found;
  for (std::uint32_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (!block.has_baseline || judge.values[index].empty()) continue;
    for (const Quartet& quartet : quartets(results, block, spec->compare->over)) {
      if (is_replaced(replaced, block, quartet)) continue;
      auto each = interaction_of(judge.values[index], quartet, BlockIndex{index},
                                 judge.options_for(BlockIndex{index}, quartet.arms[1], quartet.arms[0]));
      if (each.squares == 0) continue;
      std::ranges::transform(quartet.arms, each.arms.begin(), [&](std::size_t arm) { return block.arms[arm]; });
      found.push_back(std::move(each));
    }
  }
  return found;
}

}  // namespace regatta::analysis
