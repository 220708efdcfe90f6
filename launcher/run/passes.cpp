#include "run/passes.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "job/open_blocks.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/units.hpp"
#include "regatta/results/store.hpp"

namespace regatta::launcher {
namespace {

struct Judged {
  results::Results results;
  analysis::Contrasts contrasts;
};

struct FurtherPasses {
  RunArguments arguments;
  const Job& job;
  double replaced_seconds = 0;  ///< measuring time of figures that others have replaced
  std::optional<Judged> judged;
};

/// What is recorded until now, judged once until a pass records more.
const Judged& judged(FurtherPasses& passes) {
  if (!passes.judged) {
    results::Results results = results::collect(passes.job.folder());
    analysis::Contrasts contrasts = analysis::contrasts(results);
    passes.judged = Judged{std::move(results), std::move(contrasts)};
  }
  return *passes.judged;
}

/// What is left of `measure.total`, if there is one.
std::optional<double> left_seconds(const FurtherPasses& passes, const results::Results& results) {
  if (!passes.job.sweep.measure.total_seconds) return std::nullopt;
  const auto spent_seconds = measured_seconds(results);
  return std::accumulate(spent_seconds.begin(), spent_seconds.end(),
                         *passes.job.sweep.measure.total_seconds - passes.replaced_seconds, std::minus());
}

constexpr int most_passes = 3;  // of a kind
constexpr double shortest_pass_seconds = 2;

MeasureEnd measure_pass(FurtherPasses& passes, Rerun rerun, std::optional<double> seconds) {
  passes.judged.reset();
  passes.arguments.job.rerun = rerun;
  if (seconds) passes.arguments.job.time = fmt::format("{:.3f}s", *seconds);
  return measure_job(passes.arguments, read_job(passes.arguments.job));
}

/// The best of many look better than they are: they are measured again (measuring.md R12), until all of the best have
/// been.
MeasureEnd measure_best_again(FurtherPasses& passes) {
  for (int pass = 0; pass < most_passes && passes.job.sweep.measure.again; ++pass) {
    const auto& [results, contrasts] = judged(passes);
    const std::set<Hash128> best = fastest_blocks(results, contrasts);
    const auto left = left_seconds(passes, results);
    if (best.empty() || left.value_or(shortest_pass_seconds) < shortest_pass_seconds) return {};
    const auto seconds = measured_seconds(results);
    for (std::size_t block = 0; block < results.blocks.size(); ++block)
      if (best.contains(results.blocks[block].hash)) passes.replaced_seconds += seconds[block];
    log::info(fmt::format("{} block{} with the best of many cells: measuring again, in fresh processes", best.size(),
                          best.size() == 1 ? "" : "s"));
    const MeasureEnd end = measure_pass(passes, Rerun::fastest, left);
    if (end.exit_code != 0 || end.interrupted) return end;
  }
  return {};
}

/// The time that decided comparisons left of `measure.total` goes to those that are not, while there is enough of it to
/// tell anything.
MeasureEnd measure_undecided_on(FurtherPasses& passes) {
  for (int pass = 0; pass < most_passes && passes.job.sweep.measure.total_seconds; ++pass) {
    const auto& [results, contrasts] = judged(passes);
    const double left = *left_seconds(passes, results);
    const std::size_t undecided = cut_short_blocks(passes.job, results, contrasts).size();
    if (undecided == 0 || left < shortest_pass_seconds) return {};
    log::info(fmt::format("{} block{} undecided, {} left: measuring on", undecided, undecided == 1 ? "" : "s",
                          format_duration(left)));
    const MeasureEnd end = measure_pass(passes, Rerun::cut_short, left);
    if (end.exit_code != 0 || end.interrupted) return end;
  }
  return {};
}

}  // namespace

MeasureEnd measure_further(const RunArguments& arguments, const Job& job) {
  if (!job.sweep.compare || blocks_missing(job)) return {};  // nothing is best or undecided that is not compared
  FurtherPasses passes{arguments, job, 0, {}};
  const MeasureEnd end = measure_best_again(passes);
  return end.exit_code != 0 || end.interrupted ? end : measure_undecided_on(passes);
}

}  // namespace regatta::launcher
