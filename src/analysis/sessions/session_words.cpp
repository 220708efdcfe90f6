#include "analysis/sessions/session_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/sessions/session_checks.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/wording.hpp"

namespace regatta::analysis {
namespace {

using stats::Verdict;

std::string sentence(const SessionCell& cell, const std::string& name) {
  const std::string what = sweep::is_step_time(cell.metric) ? "" : fmt::format(", {}", sweep::info(cell.metric).noun);
  return fmt::format("{}{}: {} -> {}, {}{}", name, what, value_text(cell.old_value, cell.metric),
                     value_text(cell.new_value, cell.metric), ratio_text(judged_ratio(cell)),
                     cell.judged ? "" : " (same code)");
}

std::string_view spoken(Verdict verdict, sweep::Metric metric) {
  return verdict == Verdict::undecided ? "not known yet" : verdict_word(verdict, metric);
}

/// "1 faster, 9 same, 2 not known yet": what there is of it.
std::string counts_text(const Sessions& sessions, std::initializer_list<Verdict> verdicts) {
  std::vector<std::string> parts;
  for (const Verdict verdict : verdicts) {
    if (const auto count = sessions.count(verdict); count > 0)
      parts.push_back(fmt::format("{} {}", count, spoken(verdict, sessions.metric)));
  }
  return parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, ", "));
}

std::string most_extreme(const Sessions& sessions, Verdict verdict, const results::Results& results, const Axes& axes) {
  const SessionCell* most = nullptr;
  for (const auto& cell : sessions.cells) {
    if (!cell.judged || cell.verdict != verdict) continue;
    if (!most || std::abs(std::log(cell.ratio)) > std::abs(std::log(most->ratio))) most = &cell;
  }
  return fmt::format("{} in {}", ratio_text(judged_ratio(*most)),
                     trial_label(results.trials[most->in_new.value].parameters, axes));
}

double largest_indifference(const Sessions& sessions) {
  double largest = 0;
  for (const auto& cell : sessions.cells) {
    if (cell.judged) largest = std::max(largest, cell.indifference());
  }
  return largest;
}

std::string headline_of(const Sessions& sessions, const results::Results& results, const Axes& axes) {
  const auto judged = static_cast<std::size_t>(
      std::ranges::count_if(sessions.cells, [](const SessionCell& cell) { return cell.judged; }));
  const std::string trials = fmt::format("{} {}", judged, judged == 1 ? "trial" : "trials");
  for (const Verdict verdict : {Verdict::slower, Verdict::faster}) {
    if (sessions.count(verdict) == 0) continue;
    const auto rest = verdict == Verdict::slower
                          ? counts_text(sessions, {Verdict::faster, Verdict::same, Verdict::undecided})
                          : counts_text(sessions, {Verdict::same, Verdict::undecided});
    return fmt::format("NEW is {} in {} of {}{}{}{}", verdict_word(verdict, sessions.metric), sessions.count(verdict),
                       trials, sessions.count(verdict) > 1 ? ", most: " : ": ",
                       most_extreme(sessions, verdict, results, axes), rest);
  }
  if (sessions.count(Verdict::same) == judged)
    return fmt::format("NEW and OLD take the same {} in {}, to within {:.2g} %", sweep::info(sessions.metric).noun,
                       judged == 1 ? "the one trial" : "all " + trials, 100 * largest_indifference(sessions));
  return fmt::format("no difference shown in {}{}", trials, counts_text(sessions, {Verdict::same, Verdict::undecided}));
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

void add_notes(Sessions& sessions) {
  auto& notes = sessions.notes;
  const auto& same = sessions.identical;
  notes.push_back(floor_note(sessions));
  if (sessions.across) notes.emplace_back("hosts or devices differ: a ratio is that of code and machine together");
  if (same.total() > 0) notes.push_back("same code: " + stats::clone_checks_text(same));
  if (same.wrong > 0)
    notes.emplace_back(
        "what carries one version was told apart: differences below three times the floor are doubted. If it was built "
        "anew in between, compare it alone");
  if (sessions.all_same_version && !sessions.across)
    notes.emplace_back(
        "every engine has the same version in both, so that identical code cannot be told from a rebuild: all trials "
        "are judged");
  if (sessions.all_same_version && sessions.learnt.empty() && sessions.pair_floor)
    notes.emplace_back(
        "no floor learnt: trials differ. If this was identical code, run again with a --threshold above the "
        "differences, and they will be remembered as the floor");
}

}  // namespace

void add_words(Sessions& sessions, const results::Results& old_session, const results::Results& new_session) {
  const Axes axes = axes_of(new_session);
  for (SessionCell& cell : sessions.cells)
    cell.text = sentence(cell, trial_label(new_session.trials[cell.in_new.value].parameters, axes));
  add_notes(sessions);
  for (auto& note : session_notes(old_session, new_session)) sessions.notes.push_back(std::move(note));
  sessions.headline = headline_of(sessions, new_session, axes);
}

}  // namespace regatta::analysis
