#include "job/passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "job/job.hpp"
#include "regatta/base/units.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"

namespace regatta::launcher {
namespace {

constexpr int most_passes = 3;  // passes of one kind
constexpr double shortest_pass_seconds = 2;

/// The rungs of a search, its finalists and their test, and what is repeated.
std::size_t most_leg_passes(const Job& job) {
  const auto& search = job.sweep.search;
  return (search ? static_cast<std::size_t>(search->rungs) + 2 : 1) +
         (sweep::wants_repeats(job.sweep, job.plan) ? 1 : 0);
}

/// The time left of `measure.total`, if there is one.
std::optional<double> left_seconds(const Job& job, const results::Scan& journal) {
  const auto total = job.sweep.measure.total_seconds;
  return total ? std::optional(*total - results::wall_seconds_of_run(journal, job.sweep)) : std::nullopt;
}

/// Whether so much wall time is enough for a pass of which one slot would need `seconds`.
bool is_enough(double left_seconds, const Job& job, double seconds) {
  const double needed = seconds / static_cast<double>(job.sharing.slots);
  return left_seconds >= std::max(shortest_pass_seconds, needed);
}

std::string count_text(std::size_t blocks) { return fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s"); }

/// The best of many look better than they are: they are measured again (measuring.md R12), in a block of their own.
std::optional<Pass> best_again(const Job& job, const results::PassesTaken& taken, const Judged& judged,
                               std::optional<double> left) {
  if (!job.sweep.measure.again || taken.best_are_settled || taken.again == most_passes) return std::nullopt;
  const std::vector<sweep::Block> best = finals_due(job.plan, judged);
  if (best.empty() || (left && !is_enough(*left, job, seconds_of_a_pass(judged.results, best)))) return std::nullopt;
  return Pass{
      Rerun::fastest, left,
      fmt::format("{} with the best of many cells: measuring again, in fresh processes", count_text(best.size()))};
}

/// The time that decided comparisons left of `measure.total` goes to those that are not, while there is enough of it to
/// tell anything.
std::optional<Pass> undecided_on(const Job& job, const results::PassesTaken& taken, const Judged& judged,
                                 std::optional<double> left) {
  if (!left || taken.on == most_passes) return std::nullopt;
  const std::set<Hash128> open = cut_short_blocks(job.sweep, judged.results, judged.contrasts);
  if (open.empty() || !is_enough(*left, job, seconds_of_a_pass(judged.results, open))) return std::nullopt;
  return Pass{Rerun::cut_short, left,
              fmt::format("{} with comparisons that are not known yet or not precise, {} left: measuring on",
                          count_text(open.size()), format_duration(*left))};
}

/// Then to those whose verdict rests on few pairs.
std::optional<Pass> early_on(const Job& job, const Judged& judged, std::optional<double> left) {
  if (!left) return std::nullopt;
  const std::set<Hash128> early = early_blocks(job.sweep, judged.results, judged.contrasts);
  if (early.empty() || !is_enough(*left, job, seconds_of_a_pass(judged.results, early))) return std::nullopt;
  return Pass{Rerun::early, left,
              fmt::format("{} with early answers, {} left: measuring on, to confirm them", count_text(early.size()),
                          format_duration(*left))};
}

/// The same code twice, of each engine: how far apart it is, in time that nothing else can use.
std::optional<Pass> clones_last(const Job& job, const Judged& judged, const std::set<Hash128>& due,
                                std::optional<double> left) {
  const std::set<Hash128> fit = clones_that_fit(job, judged.results, due, left);
  if (fit.empty() || (left && *left < shortest_pass_seconds)) return std::nullopt;
  return Pass{Rerun::clones, left,
              fmt::format("measuring the same code twice, {}, to see how far apart it is", count_text(fit.size()))};
}

/// The number of the pass that is next; earlier sessions count. `taken`: the passes of each kind before it.
PassNumber number_of(const Pass& pass, const results::PassesTaken& taken, bool has_clones) {
  const int number = 2 + taken.again + taken.on + taken.early;
  int at_most = number;
  if (pass.rerun == Rerun::fastest) at_most += most_passes - taken.again - 1;
  const bool may_go_on = pass.rerun == Rerun::fastest || pass.rerun == Rerun::cut_short;
  if (pass.seconds && may_go_on) {
    at_most += most_passes - taken.on - (pass.rerun == Rerun::cut_short ? 1 : 0);
    at_most += 1 - taken.early;
  }
  if (has_clones && pass.rerun != Rerun::clones) ++at_most;
  return {static_cast<std::size_t>(number), static_cast<std::size_t>(at_most)};
}

}  // namespace

bool takes_passes(const Job& job) { return job.options.rerun == Rerun::nothing && sweep::takes_passes(job.sweep); }

bool passes_due(const Job& job, const results::Scan& journal) {
  return takes_passes(job) && results::left_by_sessions(journal, job.sweep).passes_due;
}

Passes::Passes(const Job& job, const results::Scan& journal, const OpenBlocks& open)
    : job_(job), end_(results::left_by_sessions(journal, job.sweep)) {
  const bool is_new = !is_all_finished(job, open);
  end_.passes_due = end_.passes_due && sweep::takes_passes(job.sweep);
  follow_ = takes_passes(job) && (is_new || end_.passes_due);
}

std::optional<Pass> Passes::next(bool ended) {
  if (job_.sweep.training) return next_legs(ended);
  if (!follow_) return std::nullopt;  // a pass that is due stays due: --rerun asked for something else
  results::PassesTaken& taken = end_.taken;
  if (ended && running_ == Rerun::fastest) ++taken.again;
  if (ended && running_ == Rerun::cut_short) ++taken.on;
  if (running_ == Rerun::early) taken.early = 1;
  if (running_ == Rerun::clones) clones_taken_ = true;
  running_ = Rerun::nothing;
  end_.passes_due = true;
  const results::Scan journal = results::read_store(job_.folder());
  if (blocks_missing(job_, journal)) return std::nullopt;
  const Judged judged = judge(job_, journal);
  const auto left = left_seconds(job_, journal);
  const std::set<Hash128> clones = clones_due(job_.plan, journal, judged);
  auto pass = best_again(job_, taken, judged, left);
  taken.best_are_settled = !pass;
  if (!pass) pass = undecided_on(job_, taken, judged, left);
  if (!pass && taken.early == 0) pass = early_on(job_, judged, left);
  if (!pass && !clones_taken_) pass = clones_last(job_, judged, clones, left);
  end_.passes_due = pass.has_value();
  if (!pass) return std::nullopt;
  running_ = pass->rerun;
  pass->number = number_of(*pass, taken, !clones.empty());
  pass->open = open_blocks(job_of(job_, *pass), journal, judged);
  return pass;
}

/// The next pass over the legs that are due. There is none after a cut pass, which would be cut again.
std::optional<Pass> Passes::next_legs(bool ended) {
  const results::Scan journal = results::read_store(job_.folder());
  std::vector<sweep::Block> due = legs_due(job_, journal);
  end_.passes_due = !due.empty();
  if (due.empty() || !ended) return std::nullopt;
  Pass pass;
  pass.why = purpose_of(job_, due);
  pass.number = {++legs_taken_ + 1, most_leg_passes(job_)};
  pass.open = open_legs(std::move(due), journal);
  return pass;
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
