#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <tuple>

#include "search/search.hpp"

namespace regatta::search {
namespace {

constexpr double most_quotas = 1.5;               // quotas that near-ties may fill
constexpr std::size_t fewest_configurations = 2;  // left to compare: a winner is better than somebody
constexpr std::size_t stopped_per_trained_on = 8;

bool stands_before(const Standing& a, const Standing& b) {
  if (a.goodness != b.goodness) return a.goodness > b.goodness;  // nothing is below everything
  return std::tuple(a.entry.draw, a.entry.configuration) < std::tuple(b.entry.draw, b.entry.configuration);
}

std::set<std::size_t> configurations_of(const Rung& rung, std::size_t first) {
  std::set<std::size_t> configurations;
  for (std::size_t i = 0; i < first; ++i) configurations.insert(rung.standings[i].entry.configuration);
  return configurations;
}

/// The standing with a score under the search's seed, else the clone's; nothing if neither has one.
std::optional<Standing> to_train_on(const Rung& rung, std::size_t configuration) {
  std::optional<Standing> found;
  for (const Standing& standing : rung.standings) {
    if (standing.entry.configuration != configuration || !standing.goodness) continue;
    if (!found || standing.entry.purpose == sweep::Purpose::search) found = standing;
  }
  return found;
}

}  // namespace

std::size_t cut(const Rung& rung, double factor) {
  const auto& standings = rung.standings;
  const auto scored = static_cast<std::size_t>(
      std::ranges::count_if(standings, [](const Standing& s) { return s.goodness.has_value(); }));
  const auto quota = static_cast<std::size_t>(std::ceil(static_cast<double>(standings.size()) / factor));
  if (scored <= quota) return scored;
  const auto most = std::min(scored, static_cast<std::size_t>(most_quotas * static_cast<double>(quota)));
  // Two runs of one configuration are typically so far apart.
  const double near = *standings[quota - 1].goodness - std::numbers::sqrt2 * rung.noise.spread;
  std::size_t going_on = quota;
  while (going_on < most && *standings[going_on].goodness >= near) ++going_on;
  while (going_on < scored && configurations_of(rung, going_on).size() < fewest_configurations) ++going_on;
  return going_on;
}

Competition compete(const Problem& problem, const Records& records) {
  Competition competition;
  std::vector<Entry> entries = entries_of(problem);
  const std::uint32_t last = last_rung(problem.search);
  for (std::uint32_t number = 0; number <= last && !entries.empty(); ++number) {
    Rung rung{.number = number, .standings = {}, .going_on = 0, .noise = {}};
    for (const Entry& entry : entries) {
      const Due leg = leg_of(problem, entry, number);
      if (const Done* run = recorded(records, leg))
        rung.standings.push_back({entry, goodness_of(problem.objective, run->score)});
      else
        competition.missing.push_back(leg);
    }
    if (!competition.missing.empty()) return competition;
    std::ranges::sort(rung.standings, stands_before);
    competition.rungs.push_back(std::move(rung));
    Rung& done = competition.rungs.back();
    done.noise = noise_of(competition.rungs);
    done.going_on = cut(done, number == last ? 1 : problem.search.factor);
    entries.clear();
    for (std::size_t i = 0; i < done.going_on; ++i) entries.push_back(done.standings[i].entry);
  }
  competition.over = true;
  return competition;
}

std::vector<Stopped> stopped_of(const Problem& problem, const Competition& competition) {
  std::vector<Stopped> stopped;
  for (const Rung& rung : competition.rungs) {
    const std::set<std::size_t> going_on = configurations_of(rung, rung.going_on);
    for (const std::size_t configuration : configurations_of(rung, rung.standings.size())) {
      if (going_on.contains(configuration)) continue;
      stopped.push_back({.configuration = configuration,
                         .after_rung = rung.number,
                         .diverged = !to_train_on(rung, configuration),
                         .trained_on = false,
                         .end_score = {},
                         .would_be_in_set = false});
    }
  }
  for (const TrainedOn& one : trained_on_of(problem, competition)) {
    const auto same = [&](const Stopped& s) { return s.configuration == one.standing.entry.configuration; };
    std::ranges::find_if(stopped, same)->trained_on = true;
  }
  return stopped;
}

std::vector<TrainedOn> trained_on_of(const Problem& problem, const Competition& competition) {
  std::vector<TrainedOn> chosen;
  std::size_t stopped = 0;
  for (const Rung& rung : competition.rungs) {
    const std::set<std::size_t> going_on = configurations_of(rung, rung.going_on);
    std::vector<Standing> candidates;
    for (const std::size_t configuration : configurations_of(rung, rung.standings.size())) {
      const auto standing = to_train_on(rung, configuration);
      if (standing && !going_on.contains(configuration)) candidates.push_back(*standing);
    }
    std::ranges::sort(candidates, {}, [&](const Standing& standing) {
      const std::size_t configuration = standing.entry.configuration;
      return std::tuple(drawn(problem, configuration, Draw::training_on), problem.configurations[configuration]);
    });
    stopped += candidates.size();
    for (const Standing& standing : candidates) {
      if (chosen.size() == stopped / stopped_per_trained_on) break;
      Due rest = leg_of(problem, standing.entry, last_rung(problem.search));
      rest.leg.from = sweep::end_of_rung(problem.search, rung.number);
      chosen.push_back({standing, rung.number, rest});
    }
  }
  return chosen;
}

}  // namespace regatta::search
