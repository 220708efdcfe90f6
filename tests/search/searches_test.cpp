// Whole searches on a table (S1 to S4): whether the set holds what it should, and figures are what they say. A table of
// real runs is tried with REGATTA_SEARCH_TABLE; REGATTA_SEARCHES is how many searches S1 and S3 replay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "regatta/base/random.hpp"
#include "regatta/search/verdict.hpp"
#include "regatta/stats/summaries.hpp"
#include "replay.hpp"
#include "support/places.hpp"

namespace regatta::search::testing {
namespace {

constexpr double margin = 0.01;

const Table& table() {
  const char* path = std::getenv("REGATTA_SEARCH_TABLE");
  static const Table read =
      read_table(path == nullptr ? support::source_folder() + "/tests/search/digits_table.txt" : path);
  return read;
}

std::uint64_t many_searches() {
  const char* wanted = std::getenv("REGATTA_SEARCHES");
  return wanted == nullptr ? 2000 : std::stoull(wanted);
}

/// A mean over searches, and how far chance moves it.
struct Mean {
  double sum = 0;
  double squares = 0;
  double count = 0;

  void add(double value) { sum += value, squares += value * value, count += 1; }
  [[nodiscard]] double value() const { return sum / count; }
  [[nodiscard]] double error() const { return std::sqrt((squares / count - value() * value()) / count); }
};

bool in_set(const Verdict& verdict, std::size_t configuration) {
  return std::ranges::any_of(verdict.finalists,
                             [&](const Finalist& each) { return each.in_set && each.configuration == configuration; });
}

std::size_t set_size(const Verdict& verdict) {
  return static_cast<std::size_t>(std::ranges::count(verdict.finalists, true, &Finalist::in_set));
}

/// Configurations that the table's seeds cannot tell from the best, at 5 % each and paired by seed.
std::vector<std::size_t> as_good_as_best(const Table& on) {
  const auto& best = on.runs[truly_best(on)];
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < on.runs.size(); ++i) {
    std::vector<double> behind;
    for (std::size_t seed = 0; seed < best.size(); ++seed)
      behind.push_back(best[seed].scores.back().value_or(0) - on.runs[i][seed].scores.back().value_or(0));
    if (stats::student_mean(behind).range.low <= 0) found.push_back(i);
  }
  return found;
}

Verdict searched(const Table& on, std::uint64_t search) {
  const Problem problem = problem_on(on, search);
  return verdict(problem, replayed(problem, on, drawn_columns(on, search)));
}

/// Every configuration is this one, each with its own luck.
Table alike(const Table& from, std::size_t configuration, std::uint64_t draw) {
  Table same{.runs = {}, .rungs = from.rungs};
  for (std::size_t i = 0; i < from.runs.size(); ++i) {
    same.runs.emplace_back();
    for (const std::size_t column : drawn_columns(from, draw * 1000 + i))
      same.runs.back().push_back(from.runs[configuration][column]);
  }
  return same;
}

/// One of the others learns as the best does and ends two margins above it.
Table planted(const Table& from, std::size_t best, std::size_t place, std::uint64_t draw) {
  Table with = alike(from, best, draw);
  for (std::size_t i = 0; i < from.runs.size(); ++i) {
    if (i != place) with.runs[i] = from.runs[i];
  }
  for (TableRun& run : with.runs[place]) {
    for (auto& score : run.scores) {
      if (score) *score += 2 * margin;
    }
  }
  return with;
}

// The table is of real trainings (scripts/search_table.py), and the best of it is 0.1 points ahead of the next, where
// runs of one configuration are 0.75 points apart. The aim would be the truly best in 95 %: no search with eight
// places and a run each keeps that here; it is 86 % where nobody is stopped. So what is asked for is one of those that
// 50 seeds cannot tell from the best.
TEST(Searches, S1HoldTheTrulyBestConfiguration) {
  const std::size_t best = truly_best(table());
  const double best_score = true_score(table(), best);
  const std::vector<std::size_t> as_good = as_good_as_best(table());
  std::uint64_t held = 0;
  std::uint64_t held_as_good = 0;
  std::uint64_t led = 0;
  Mean size, cost, trained_on, would_belong;
  for (std::uint64_t search = 0; search < many_searches(); ++search) {
    const Verdict found = searched(table(), search);
    ASSERT_TRUE(found.over && found.leader);
    held += in_set(found, best) ? 1 : 0;
    held_as_good += std::ranges::any_of(as_good, [&](std::size_t each) { return in_set(found, each); }) ? 1 : 0;
    led += true_score(table(), *found.leader) >= best_score - margin ? 1 : 0;
    size.add(static_cast<double>(set_size(found)));
    const double trained = found.cost.search + found.cost.clones + found.cost.trained_on + found.cost.fresh;
    cost.add(trained / found.cost.everything);
    trained_on.add(static_cast<double>(std::ranges::count(found.stopped, true, &Stopped::trained_on)));
    would_belong.add(static_cast<double>(std::ranges::count(found.stopped, true, &Stopped::would_be_in_set)));
  }
  const auto searches = static_cast<double>(many_searches());
  const auto percent = [&](std::uint64_t count) { return 100 * static_cast<double>(count) / searches; };
  std::printf(
      "S1: %.0f searches: set holds the best %.1f %%, one of %zu that the table cannot tell from it %.1f %%, "
      "leader within the margin %.1f %%, set of %.1f, cost %.1f %% of training all; of %.1f trained on %.1f "
      "might belong\n",
      searches, percent(held), as_good.size(), percent(held_as_good), percent(led), size.value(), 100 * cost.value(),
      trained_on.value(), would_belong.value());
  EXPECT_GE(static_cast<double>(held), 0.65 * searches) << held << " sets hold it";
  EXPECT_GE(static_cast<double>(held_as_good), 0.88 * searches) << held_as_good << " sets hold one as good";
  EXPECT_GE(static_cast<double>(led), 0.90 * searches) << led << " leaders are within the margin";
}

TEST(Searches, S2NameNoSingleWinnerAmongEquals) {
  constexpr std::uint64_t searches = 200;
  std::uint64_t winners = 0;
  for (std::uint64_t search = 0; search < searches; ++search) {
    const Table same = alike(table(), truly_best(table()), search);
    winners += set_size(searched(same, search)) == 1 ? 1 : 0;
  }
  std::printf("S2: a single winner among equals in %.1f %%\n", 100 * static_cast<double>(winners) / searches);
  EXPECT_LE(winners, searches / 20) << "of " << searches;
}

TEST(Searches, S3ReportWhatIsTrueOfTheLeader) {
  for (const bool equals : {false, true}) {
    Mean searched_beyond, fresh_beyond, test_beyond;
    for (std::uint64_t search = 0; search < many_searches() / (equals ? 4 : 1); ++search) {
      const Table on = equals ? alike(table(), truly_best(table()), search) : table();
      const Verdict found = searched(on, search);
      ASSERT_TRUE(found.leader);
      const Finalist& leader = found.finalists.front();
      searched_beyond.add(leader.searched - true_score(on, *found.leader));
      fresh_beyond.add(leader.fresh.mean.value - true_score(on, *found.leader));
      test_beyond.add(leader.test.mean.value - true_test(on, *found.leader));
      EXPECT_NEAR(*found.optimism, leader.searched - leader.fresh.mean.value, 1e-12);
    }
    std::printf("S3 (%s): beyond the truth: searched %.2f, fresh validation %.2f, test %.2f points (+- %.3f)\n",
                equals ? "equals" : "table", 100 * searched_beyond.value(), 100 * fresh_beyond.value(),
                100 * test_beyond.value(), 100 * test_beyond.error());
    EXPECT_LE(std::abs(test_beyond.value()), 0.001) << test_beyond.count << " searches, equals: " << equals;
    EXPECT_GT(searched_beyond.value(), 3 * searched_beyond.error()) << "what the search saw is optimistic";
    EXPECT_LT(fresh_beyond.value(), searched_beyond.value() / 2) << "fresh seeds are far less so";
  }
}

TEST(Searches, S4HoldAConfigurationTwoMarginsBetter) {
  constexpr std::uint64_t searches = 100;
  const std::size_t best = truly_best(table());
  std::uint64_t held = 0;
  for (std::uint64_t search = 0; search < searches; ++search) {
    const std::size_t place = (best + 1 + random_bits(7, search) % (table().runs.size() - 1)) % table().runs.size();
    held += in_set(searched(planted(table(), best, place, search), search), place) ? 1 : 0;
  }
  std::printf("S4: a configuration two margins better is in the set in %llu of 100\n",
              static_cast<unsigned long long>(held));
  EXPECT_GE(held, 95U);
}

}  // namespace
}  // namespace regatta::search::testing
