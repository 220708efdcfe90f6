// T12 at length: how soon comparisons are decided and how often rightly, by noise, effect and history.
// usage: bench_early_replay [DRAWS] [NOISE...]   noises by number; all if none is named
#include "measuring/early_replay.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

using namespace regatta::measuring;

struct Worst {
  double covered = 1, wrong = 0, all_wrong = 0;
  std::size_t cells = 0;
};

void print(const EarlyOutcome& outcome) {
  std::printf(" | %5.0f %5.1f %6.2f %6.2f", outcome.median_pairs, 100 * outcome.told, 100 * outcome.covered,
              100 * outcome.wrong);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t draws = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
  std::vector<std::size_t> chosen;
  for (int i = 2; i < count; ++i) chosen.push_back(std::strtoull(arguments[i], nullptr, 10));
  const auto noises = early_noises();
  if (chosen.empty())
    for (std::size_t i = 0; i < noises.size(); ++i) chosen.push_back(i);
  std::printf("%zu draws a cell; pairs until half are told, %% told, %% of intervals that hold the truth, %% wrong\n",
              draws);
  std::printf("%-26s %7s %6s | %25s | %25s | %25s\n", "noise", "effect", "margin", "no history", "right history",
              "wrong history (0.3 %)");
  std::map<History, Worst> worst;
  for (const std::size_t at : chosen) {
    for (const double effect : {0.0, .005, .02, .05, .10, .30, 1.0}) {
      std::printf("%-26s %6.1f%% %5.0f%%", noises.at(at).name.c_str(), 100 * effect, 1.0);
      for (const History history : {History::none, History::right, History::wrong}) {
        const auto outcome = run_early({.noise = noises[at], .effect = effect, .history = history}, draws, 1 + at);
        print(outcome);
        Worst& of = worst[history];
        of.covered = std::min(of.covered, outcome.covered);
        of.wrong = std::max(of.wrong, outcome.wrong);
        of.all_wrong += outcome.wrong;
        ++of.cells;
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  for (const auto& [history, of] : worst)
    std::printf("history %d: least coverage %.2f %%, most wrong %.2f %%, wrong on average %.3f %%\n",
                static_cast<int>(history), 100 * of.covered, 100 * of.wrong,
                100 * of.all_wrong / static_cast<double>(of.cells));
}
