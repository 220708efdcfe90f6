#include "search/finals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "search/search.hpp"

namespace regatta::search {
namespace {

void sort_best_first(const Problem& problem, std::vector<Contender>& contenders) {
  std::ranges::sort(contenders, {}, [&](const Contender& each) {
    return std::tuple(-each.goodness, drawn(problem, each.configuration, Draw::tie), each.configuration);
  });
}

}  // namespace

std::vector<Contender> contenders_of(const Problem& problem, const Competition& competition) {
  if (!competition.over || competition.rungs.empty()) return {};
  const Rung& rung = competition.rungs.back();
  std::map<std::size_t, Contender> by_configuration;
  for (std::size_t i = 0; i < rung.going_on; ++i) {
    const Standing& standing = rung.standings[i];
    Contender& one = by_configuration[standing.entry.configuration];
    one.configuration = standing.entry.configuration;
    one.goodness += *standing.goodness;
    ++one.runs;
  }
  std::vector<Contender> contenders;
  for (auto& [configuration, one] : by_configuration) {
    one.goodness /= static_cast<double>(one.runs);
    contenders.push_back(one);
  }
  sort_best_first(problem, contenders);
  return contenders;
}

bool shown_worse(const Contender& best, const Contender& other, std::size_t contenders, const Noise& noise,
                 double margin) {
  if (contenders < 2 || noise.pairs == 0) return false;
  const double alpha = stats::rules::alpha / static_cast<double>(contenders - 1);
  const double error =
      noise.spread * std::sqrt(1 / static_cast<double>(best.runs) + 1 / static_cast<double>(other.runs));
  const double half_width = stats::student_half_width(static_cast<double>(noise.pairs), alpha) * error;
  return best.goodness - other.goodness - half_width > margin;
}

std::vector<Contender> near_the_best(const Problem& problem, const Competition& competition) {
  const std::vector<Contender> contenders = contenders_of(problem, competition);
  std::vector<Contender> near;
  for (const Contender& each : contenders) {
    const Noise& noise = competition.rungs.back().noise;
    if (!shown_worse(contenders.front(), each, contenders.size(), noise, problem.objective.margin))
      near.push_back(each);
  }
  return near;
}

std::vector<Contender> finalists_of(const Problem& problem, const Competition& competition) {
  std::vector<Contender> finalists = near_the_best(problem, competition);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(problem.search.at_most, 1));
  finalists.resize(std::min(finalists.size(), most));
  return finalists;
}

std::vector<std::int64_t> fresh_seeds(const Problem& problem) {
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = 0; i < problem.seeds; ++i) seeds.push_back(sweep::first_fresh_seed + i);
  return seeds;
}

Due fresh_leg(std::size_t configuration, std::int64_t seed) {
  return {configuration, {.purpose = sweep::Purpose::fresh, .seed = seed, .rung = 0, .from = 0, .to = 1}};
}

Due test_leg(std::size_t configuration, std::int64_t seed) {
  return {configuration, {.purpose = sweep::Purpose::test, .seed = seed, .rung = 0, .from = 1, .to = 1}};
}

std::vector<Due> finals_due(const Problem& problem, const Records& records, std::span<const Contender> finalists) {
  std::vector<Due> fresh;
  std::vector<Due> tests;
  for (const std::int64_t seed : fresh_seeds(problem)) {  // seed by seed: what is compared runs side by side
    for (const Contender& each : finalists) {
      const Due leg = fresh_leg(each.configuration, seed);
      const Due test = test_leg(each.configuration, seed);
      const Done* run = recorded(records, leg);
      if (run == nullptr) fresh.push_back(leg);
      if (run != nullptr && goodness_of(problem.objective, run->score) && recorded(records, test) == nullptr)
        tests.push_back(test);
    }
  }
  return fresh.empty() ? tests : fresh;
}

}  // namespace regatta::search
