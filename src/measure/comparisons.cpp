#include <algorithm>
#include <set>
#include <string>

#include "measure/measure.hpp"
#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/sweep/processes.hpp"
#include "regatta/sweep/program_results.hpp"
#include "regatta/sweep/work_per_step.hpp"

namespace regatta::measure {
namespace {

using Values = std::vector<std::vector<stats::SliceValue>>;

Values values_of(const BlockRun& run) {
  if (sweep::is_value_of_processes(run.task.measure.metric)) {
    Values values;
    for (const Arm& arm : run.arms) {
      const bool has_ratios =
          run.task.measure.metric != sweep::Metric::result || sweep::are_comparable(arm.process_values);
      values.push_back(has_ratios ? stats::process_values(arm.process_values) : std::vector<stats::SliceValue>());
    }
    return values;
  }
  std::vector<stats::ArmReading> readings;
  for (const Arm& arm : run.arms)
    readings.push_back(
        sweep::reading_of(run.task.measure, arm.task->parameters, arm.task->work_per_step, arm.is_program()));
  return stats::slice_values(run.samples, readings);
}

std::string class_of(const Arm& arm) { return sweep::process_class(arm.task->parameters); }

/// The arm that this one is compared with: a clone with the one that it is a clone of, all others with the baseline.
std::size_t opposite(const BlockRun& run, std::size_t at) {
  if (!run.task.has_clone || at + 1 != run.arms.size()) return 0;
  return static_cast<std::size_t>(std::ranges::find(run.task.arms, run.task.arms.back()) - run.task.arms.begin());
}

/// A clone has none: it is no contrast.
bool has_family(const BlockRun& run, std::size_t at) { return at > 0 && at <= run.task.families.size(); }

/// With which a difference stays one, whatever the contrasts after it show: as the k-th of those that are found among
/// m it needs what e-BH asks where no further one is found, in the sweep and among those of its pair of arms (R12). And
/// enough for all cells of its setting that the fastest has to be told from.
double needed_evidence(const BlockRun& run, std::size_t at) {
  const double alpha = sweep::judge_options(run.task.measure).alpha;
  const double of_rivals = std::max(1.0, static_cast<double>(run.task.exclusions)) / alpha;
  const double of_sweep = stats::evidence_needed(run.task.contrasts, run.discoveries.all() + 1, alpha);
  if (!has_family(run, at)) return std::max(of_rivals, of_sweep);
  const sweep::Family& family = run.task.families[at - 1];
  return std::max(
      {of_rivals, of_sweep, stats::evidence_needed(family.contrasts, run.discoveries.of(family) + 1, alpha)});
}

/// Decided, narrow enough, with enough evidence, and confirmed where that is asked for.
bool is_settled(const BlockRun& run, std::size_t at, const stats::Judgement& judgement) {
  if (judgement.verdict == stats::Verdict::undecided || !judgement.precise) return false;
  if (run.task.confirms && !judgement.confirmed) return false;
  return judgement.verdict == stats::Verdict::same || judgement.e_value >= needed_evidence(run, at);
}

/// Every arm against its opposite.
class Referee {
 public:
  explicit Referee(const BlockRun& run) : run_(run), values_(values_of(run)) {}

  /// Results that have no ratio are compared by difference.
  [[nodiscard]] bool needs_differences(std::size_t at) const {
    if (run_.task.measure.metric != sweep::Metric::result) return false;
    const auto& a = run_.arms[at].process_values;
    const auto& b = run_.arms[opposite(run_, at)].process_values;
    const bool are_numbers = sweep::are_finite(a) && sweep::are_finite(b);
    return are_numbers && stats::needs_differences(a, b, sweep::judge_options(run_.task.measure));
  }

  [[nodiscard]] stats::Judgement judge(std::size_t at) const {
    const Arm& a = run_.arms[at];
    const Arm& b = run_.arms[opposite(run_, at)];
    const stats::JudgeOptions options = options_of(at);
    if (needs_differences(at))
      return stats::judge_differences(a.process_values, b.process_values, options, true).judgement;
    return stats::judge({values_[at], values_[opposite(run_, at)]}, options);
  }

 private:
  [[nodiscard]] stats::JudgeOptions options_of(std::size_t at) const {
    const Arm& a = run_.arms[at];
    const Arm& b = run_.arms[opposite(run_, at)];
    stats::JudgeOptions options = sweep::judge_options(run_.task.measure);
    stats::SpreadHistory history = run_.spreads.of(class_of(a), class_of(b));
    if (at <= run_.task.spreads.size()) history.add(run_.task.spreads[at - 1]);
    options.prior = stats::prior_from(history);
    if (sweep::is_step_time(run_.task.measure.metric))  // others know no length of calls
      options.call_length_misfit = std::max(a.call_length_misfit, b.call_length_misfit);
    return options;
  }

  const BlockRun& run_;
  Values values_;
};

}  // namespace

std::vector<std::size_t> still_open(BlockRun& run, const std::vector<std::size_t>& turn) {
  const Referee referee(run);
  std::set<std::size_t> open = {turn.front()};
  for (const std::size_t at : turn) {
    if (at == turn.front() || !run.is_living(at)) continue;
    const stats::Judgement judgement = referee.judge(at);
    if (!is_settled(run, at, judgement)) {
      open.insert(at);
      if (run.is_living(opposite(run, at))) open.insert(opposite(run, at));
    } else if (judgement.verdict != stats::Verdict::same && has_family(run, at) && !run.arms[at].is_discovery) {
      run.arms[at].is_discovery = true;  // it may go on beside its clone
      run.discoveries.add(run.task.block, run.task.families[at - 1]);
    }
  }
  return {open.begin(), open.end()};
}

std::int64_t undecided_comparisons(const BlockRun& run) {
  if (!run.task.has_baseline || !run.is_living(0)) return 0;
  if (run.task.takes_one_pair) return 0;  // all replicates together have a verdict, or none
  const Referee referee(run);
  const std::size_t distinct_arms = run.arms.size() - (run.task.has_clone ? 1 : 0);
  return std::ranges::count_if(run.living, [&](std::size_t at) {
    const bool is_contrast = at != 0 && at < distinct_arms && run.arms[at].verified != sweep::Verified::no;
    return is_contrast && referee.judge(at).verdict == stats::Verdict::undecided;
  });
}

stats::SpreadPool shown_spreads(const BlockRun& run) {
  stats::SpreadPool learnt;
  if (!run.task.has_baseline || !run.is_living(0)) return learnt;
  const Referee referee(run);
  for (const std::size_t at : run.living) {
    if (at == 0 || referee.needs_differences(at)) continue;
    const std::size_t other = opposite(run, at);
    const bool is_clone = run.task.has_clone && at + 1 == run.arms.size();
    learnt.add(class_of(run.arms[at]), class_of(run.arms[other]), stats::history_of(referee.judge(at), is_clone));
  }
  return learnt;
}

}  // namespace regatta::measure
