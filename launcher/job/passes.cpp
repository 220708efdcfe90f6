#include "job/passes.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <set>

#include "job/open_blocks.hpp"
#include "regatta/base/units.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/budget.hpp"

namespace regatta::launcher {
namespace {

constexpr int most_passes = 3;  // of a kind
constexpr double shortest_pass_seconds = 2;

struct Judged {
  results::Results results;
  analysis::Contrasts contrasts;
};

/// What is left of `measure.total`, if there is one.
std::optional<double> left_seconds(const Job& job, const PassesTaken& taken, const results::Results& results) {
  if (!job.sweep.measure.total_seconds) return std::nullopt;
  const auto spent_seconds = measured_seconds(results);
  return std::accumulate(spent_seconds.begin(), spent_seconds.end(),
                         *job.sweep.measure.total_seconds - taken.replaced_seconds, std::minus());
}

std::string count_text(std::size_t blocks) { return fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s"); }

/// The best of many look better than they are: they are measured again (measuring.md R12), until all of the best have
/// been.
std::optional<Pass> best_again(const Job& job, PassesTaken& taken, const Judged& judged) {
  if (!job.sweep.measure.again || taken.best_are_settled || taken.again == most_passes) return std::nullopt;
  const std::set<Hash128> best = fastest_blocks(judged.results, judged.contrasts);
  const auto left = left_seconds(job, taken, judged.results);
  if (best.empty() || left.value_or(shortest_pass_seconds) < shortest_pass_seconds) return std::nullopt;
  const auto seconds = measured_seconds(judged.results);
  for (std::size_t block = 0; block < judged.results.blocks.size(); ++block)
    if (best.contains(judged.results.blocks[block].hash)) taken.replaced_seconds += seconds[block];
  ++taken.again;
  return Pass{
      Rerun::fastest, left,
      fmt::format("{} with the best of many cells: measuring again, in fresh processes", count_text(best.size()))};
}

/// The time that decided comparisons left of `measure.total` goes to those that are not, while there is enough of it to
/// tell anything.
std::optional<Pass> undecided_on(const Job& job, PassesTaken& taken, const Judged& judged) {
  const auto left = left_seconds(job, taken, judged.results);
  if (!left || *left < shortest_pass_seconds || taken.on == most_passes) return std::nullopt;
  const std::size_t undecided = cut_short_blocks(job, judged.results, judged.contrasts).size();
  if (undecided == 0) return std::nullopt;
  ++taken.on;
  return Pass{Rerun::cut_short, left,
              fmt::format("{} undecided, {} left: measuring on", count_text(undecided), format_duration(*left))};
}

}  // namespace

bool takes_passes(const Job& job) { return job.options.rerun == Rerun::nothing && sweep::takes_passes(job.sweep); }

bool passes_due(const Job& job) { return takes_passes(job) && results::passes_due(job.folder()); }

std::optional<Pass> next_pass(const Job& job, PassesTaken& taken) {
  if (!takes_passes(job) || blocks_missing(job)) return std::nullopt;
  Judged judged{results::collect(job.folder()), {}};
  judged.contrasts = analysis::contrasts(judged.results);
  auto pass = best_again(job, taken, judged);
  taken.best_are_settled = !pass;
  return pass ? pass : undecided_on(job, taken, judged);
}

Job job_of(Job job, const Pass& pass) {
  job.options.rerun = pass.rerun;
  if (pass.seconds) {
    job.options.time = fmt::format("{:.3f}s", *pass.seconds);
    job.sweep.measure.total_seconds = pass.seconds;
  }
  return job;
}

}  // namespace regatta::launcher
