#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "regatta/analysis/labels.hpp"
#include "regatta/base/error.hpp"
#include "regatta/report/sessions.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::FloorSource;
using analysis::NotCompared;
using analysis::NotComparedReason;
using analysis::SessionCell;
using analysis::Sessions;
using stats::Verdict;

std::string_view spoken(Verdict verdict, sweep::Metric metric) {
  return verdict == Verdict::undecided ? "not known yet" : analysis::verdict_word(verdict, metric);
}

/// "1 faster, 9 same, 2 not known yet"; verdicts without a trial are left out.
std::string counts_text(const Sessions& sessions, std::initializer_list<Verdict> verdicts) {
  std::vector<std::string> parts;
  for (const Verdict verdict : verdicts) {
    if (const auto count = sessions.count(verdict); count > 0)
      parts.push_back(fmt::format("{} {}", count, spoken(verdict, sessions.metric)));
  }
  return parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, ", "));
}

std::string most_extreme(const Sessions& sessions, Verdict verdict, const results::Results& new_session) {
  const SessionCell* most = nullptr;
  for (const auto& cell : sessions.cells) {
    if (!cell.judged || cell.verdict != verdict) continue;
    if (!most || std::abs(std::log(cell.ratio)) > std::abs(std::log(most->ratio))) most = &cell;
  }
  return fmt::format("{} in {}", ratio_text(judged_ratio(*most)),
                     trial_label(new_session.trials[most->in_new.value].parameters, analysis::axes_of(new_session)));
}

double largest_indifference(const Sessions& sessions) {
  double largest = 0;
  for (const auto& cell : sessions.cells) {
    if (cell.judged) largest = std::max(largest, cell.indifference());
  }
  return largest;
}

bool any_source(const Sessions& sessions, FloorSource source) {
  return std::ranges::any_of(sessions.cells,
                             [&](const auto& cell) { return cell.judged && cell.floor_source == source; });
}

std::string floor_note(const Sessions& sessions) {
  std::string text;
  for (const auto source : {FloorSource::pair, FloorSource::stored, FloorSource::assumed}) {
    if (!any_source(sessions, source)) continue;
    double largest = 0;
    for (const auto& cell : sessions.cells) {
      if (cell.judged && cell.floor_source == source) largest = std::max(largest, cell.session_floor);
    }
    if (!text.empty()) text += "; ";
    if (source == FloorSource::assumed) {
      text += fmt::format(
          "floor between sessions unknown: assumed {:g} %; compare two runs of the same version once to learn it",
          100 * largest);
    } else {
      text += fmt::format(
          "floor between sessions {:.2g} %, {}", 100 * largest,
          source == FloorSource::pair ? "from identical code in these two" : "from earlier pairs of sessions here");
    }
  }
  return text;
}

/// "9 same, 0 not known yet, 0 different".
std::string identical_code_text(const analysis::IdenticalCode& checks) {
  return fmt::format("{} same, {} not known yet, {} different", checks.same, checks.undecided, checks.wrong);
}

void add_change(std::vector<std::string>& changes, const std::string& what, const std::string& before,
                const std::string& after) {
  if (before != after)
    changes.push_back(
        fmt::format("{} {} -> {}", what, before.empty() ? "unknown" : before, after.empty() ? "unknown" : after));
}

std::string version_of(const results::Results& results, const std::string& component) {
  const auto found = results.provenance.versions.find(component);
  return found == results.provenance.versions.end() ? "" : found->second;
}

/// "also changed: kernel 6.1 -> 6.2; ..."; empty where nothing is known to have.
std::string changes_note(const results::Results& old_session, const results::Results& new_session) {
  std::vector<std::string> changes;
  add_change(changes, "regatta", old_session.provenance.regatta_version, new_session.provenance.regatta_version);
  for (const char* component : {"compiler", "mpi"})
    add_change(changes, component, version_of(old_session, component), version_of(new_session, component));
  if (old_session.hosts.size() == 1 && new_session.hosts.size() == 1) {
    add_change(changes, "kernel", old_session.hosts[0].kernel, new_session.hosts[0].kernel);
    add_change(changes, "governor", old_session.hosts[0].governor, new_session.hosts[0].governor);
  }
  return changes.empty() ? "" : fmt::format("also changed: {}", fmt::join(changes, "; "));
}

/// The advice that makes trials of both files comparable.
std::string advice_for(const results::Results& old_session, const results::Results& new_session,
                       const std::vector<NotCompared>& not_compared) {
  const auto is_open = [](const results::Results& session, TrialIndex trial) {
    return std::holds_alternative<sweep::Lost>(session.trials[trial.value].outcome);
  };
  const auto any = [&](const auto& applies) { return std::ranges::any_of(not_compared, applies); };
  const bool in_new = any([&](const NotCompared& each) { return is_open(new_session, each.in_new); });
  if (in_new || any([&](const NotCompared& each) { return is_open(old_session, each.in_old); }))
    return fmt::format("trials are still open in {}: run the same command again to finish them",
                       in_new ? "NEW" : "OLD");
  if (any([](const NotCompared& each) { return each.why == NotComparedReason::one_measurement; }))
    return "a run into the same folder resumes it: run the sweep again with another --out, and compare with that";
  return "run them again with --rerun failed";
}

}  // namespace

std::string session_headline(const results::Results& new_session, const Sessions& sessions) {
  const auto judged = static_cast<std::size_t>(
      std::ranges::count_if(sessions.cells, [](const SessionCell& cell) { return cell.judged; }));
  const std::string trials = fmt::format("{} {}", judged, judged == 1 ? "trial" : "trials");
  for (const Verdict verdict : {Verdict::slower, Verdict::faster}) {
    if (sessions.count(verdict) == 0) continue;
    const auto rest = verdict == Verdict::slower
                          ? counts_text(sessions, {Verdict::faster, Verdict::same, Verdict::undecided})
                          : counts_text(sessions, {Verdict::same, Verdict::undecided});
    return fmt::format("NEW is {} in {} of {}{}{}{}", analysis::verdict_word(verdict, sessions.metric),
                       sessions.count(verdict), trials, sessions.count(verdict) > 1 ? ", most: " : ": ",
                       most_extreme(sessions, verdict, new_session), rest);
  }
  if (sessions.count(Verdict::same) == judged)
    return fmt::format("NEW and OLD take the same {} in {}, to within {:.2g} %", sweep::info(sessions.metric).noun,
                       judged == 1 ? "the one trial" : "all " + trials, 100 * largest_indifference(sessions));
  return fmt::format("no difference shown in {}{}", trials, counts_text(sessions, {Verdict::same, Verdict::undecided}));
}

std::vector<std::string> session_notes(const results::Results& old_session, const results::Results& new_session,
                                       const Sessions& sessions) {
  const auto& same = sessions.identical;
  std::vector<std::string> notes;
  if (std::string floor = floor_note(sessions); !floor.empty()) notes.push_back(std::move(floor));
  if (sessions.across) notes.emplace_back("hosts or devices differ: each ratio is that of code and machine together");
  if (same.total() > 0) notes.push_back("identical code: " + identical_code_text(same));
  if (same.wrong > 0)
    notes.emplace_back(
        "code of the same version came out different, so differences below three times the floor are not known yet. If "
        "it was rebuilt in between, compare it alone");
  if (sessions.all_same_version && !sessions.across)
    notes.emplace_back(
        "all trials are judged: every engine has the same version in both files, and identical code cannot be told "
        "from a rebuild");
  if (sessions.all_same_version && sessions.learnt.empty() && sessions.pair_floor)
    notes.emplace_back(
        "no floor learnt: trials differ. If this was identical code, run again with a --threshold above the "
        "differences, and they will be remembered as the floor");
  if (std::string changes = changes_note(old_session, new_session); !changes.empty())
    notes.push_back(std::move(changes));
  if (new_session.provenance.created < old_session.provenance.created)
    notes.emplace_back("OLD was measured after NEW; is the order of the files right?");
  return notes;
}

std::string not_compared_text(const results::Results& old_session, const results::Results& new_session,
                              const Sessions& sessions, const NotCompared& trial) {
  const results::TrialRow& row =
      trial.is_of_new ? new_session.trials[trial.in_new.value] : old_session.trials[trial.in_old.value];
  const char* file = trial.is_of_new ? "NEW" : "OLD";
  switch (trial.why) {
    case NotComparedReason::not_finished: {
      const std::string reason = sweep::reason_of(row.outcome);
      return fmt::format("{} in {}{}{}", sweep::status_of(row.outcome), file, reason.empty() ? "" : ": ", reason);
    }
    case NotComparedReason::other_work:
      return fmt::format("does not do the same work in {}: {}", file,
                         sweep::text_of(row.facts, sweep::Fact::verified_detail));
    case NotComparedReason::no_values:
      if (sessions.metric == sweep::Metric::time_per_step) return "one of the files holds no scored time of it";
      return fmt::format("one of the files holds no values of {}: it was measured for another metric",
                         sweep::info(sessions.metric).name);
    case NotComparedReason::one_measurement:
      break;
  }
  return "both files hold the same measurement";
}

std::string session_sentence(const results::Results& new_session, const analysis::Axes& axes, const SessionCell& cell) {
  const std::string name = trial_label(new_session.trials[cell.in_new.value].parameters, axes);
  const std::string what = sweep::is_step_time(cell.metric) ? "" : fmt::format(", {}", sweep::info(cell.metric).noun);
  return fmt::format("{}{}: {} -> {}, {}{}", name, what, value_text(cell.old_value, cell.metric),
                     value_text(cell.new_value, cell.metric), ratio_text(judged_ratio(cell)),
                     cell.judged ? "" : " (same code)");
}

void expect_comparable(const results::Results& old_session, const results::Results& new_session,
                       const Sessions& sessions) {
  if (!sessions.cells.empty() || sessions.not_compared.empty()) return;
  throw InputError(fmt::format("none of the {} trials in both files can be compared (the first: {}); {}",
                               sessions.not_compared.size(),
                               not_compared_text(old_session, new_session, sessions, sessions.not_compared.front()),
                               advice_for(old_session, new_session, sessions.not_compared)));
}

}  // namespace regatta::report
