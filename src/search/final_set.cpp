#include "regatta/search/final_set.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::search {
namespace {

constexpr std::size_t fewest_seeds = stats::rules::fewest_units;

std::vector<double> scores_of(const FreshRuns& runs) {
  std::vector<double> scores;
  for (const auto& [seed, goodness] : runs) {
    if (goodness) scores.push_back(*goodness);
  }
  return scores;
}

std::optional<std::size_t> leader_of(std::span<const FreshRuns> finalists) {
  std::optional<std::size_t> leader;
  std::tuple<std::size_t, double> best;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const std::vector<double> scores = scores_of(finalists[i]);
    if (scores.empty()) continue;
    const std::tuple<std::size_t, double> key{std::min(scores.size(), fewest_seeds), stats::student_mean(scores).value};
    if (!leader || key > best) leader = i, best = key;
  }
  return leader;
}

Place place_of(const FreshRuns& leader, const FreshRuns& other, double alpha, double margin) {
  std::vector<double> differences;
  std::size_t leader_alone = 0;
  std::size_t other_alone = 0;
  for (const auto& [seed, goodness] : leader) {
    const auto found = other.find(seed);
    if (found == other.end()) continue;
    if (goodness && found->second) differences.push_back(*goodness - *found->second);
    if (goodness && !found->second) ++leader_alone;
    if (!goodness && found->second) ++other_alone;
  }
  Place place{.behind = stats::student_mean(differences, alpha), .pairs = differences.size(), .in_set = true};
  const bool is_worse = differences.size() >= fewest_seeds && place.behind.range.low > margin;
  const bool has_seeds = differences.size() + leader_alone >= fewest_seeds;
  const bool diverges = has_seeds && chance_of_heads(leader_alone, leader_alone + other_alone) <= alpha / 2;
  place.in_set = !is_worse && !diverges;
  return place;
}

}  // namespace

double chance_of_heads(std::size_t least, std::size_t tosses) {
  double chance = 0;
  double ways = 1;
  for (std::size_t heads = 0; heads <= tosses; ++heads) {
    if (heads >= least) chance += ways;
    ways *= static_cast<double>(tosses - heads) / static_cast<double>(heads + 1);
  }
  return chance * std::pow(0.5, static_cast<double>(tosses));
}

std::optional<FinalSet> final_set(std::span<const FreshRuns> finalists, double margin) {
  const auto leader = leader_of(finalists);
  if (!leader) return std::nullopt;
  const std::size_t exclusions = std::max<std::size_t>(finalists.size(), 2) - 1;
  const double alpha = stats::rules::alpha / static_cast<double>(exclusions);
  FinalSet set{.leader = *leader, .places = {}};
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const Place own{.behind = {0, {0, 0}}, .pairs = scores_of(finalists[i]).size(), .in_set = true};
    set.places.push_back(i == *leader ? own : place_of(finalists[*leader], finalists[i], alpha, margin));
  }
  return set;
}

bool might_belong(std::span<const FreshRuns> finalists, const FinalSet& set, double goodness, double margin) {
  double squares = 0;
  double degrees_of_freedom = 0;
  for (const FreshRuns& runs : finalists) {
    const std::vector<double> scores = scores_of(runs);
    const double mean = stats::student_mean(scores).value;
    for (const double score : scores) squares += (score - mean) * (score - mean);
    if (!scores.empty()) degrees_of_freedom += static_cast<double>(scores.size() - 1);
  }
  const std::vector<double> best = scores_of(finalists[set.leader]);
  if (degrees_of_freedom == 0) return true;
  const double alpha = stats::rules::alpha / static_cast<double>(finalists.size());
  const double error = std::sqrt(squares / degrees_of_freedom * (1 + 1 / static_cast<double>(best.size())));
  const double half_width = stats::student_half_width(degrees_of_freedom, alpha) * error;
  return stats::student_mean(best).value - goodness - half_width <= margin;
}

}  // namespace regatta::search
