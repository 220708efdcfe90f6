#include "report/findings/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "regatta/results/outcome_text.hpp"
#include "regatta/stats/summaries.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/learning_words.hpp"
#include "report/findings/measure_on.hpp"
#include "report/findings/rank_lines.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_pairs = 8;      // in a line each
constexpr std::size_t most_of_a_kind = 3;  // findings
constexpr std::size_t most_slots = 4;      // listed for a machine
constexpr std::size_t setting_columns_wide = 40;

/// The sentences of the first items, and how many more there are.
template <class Line, class Item, class Sentence>
void add_sentences(std::vector<Line>& lines, const std::vector<Item>& items, Sentence sentence, const char* one,
                   const char* many) {
  for (std::size_t i = 0; i < std::min(items.size(), most_of_a_kind); ++i) lines.push_back({sentence(items[i])});
  if (items.size() <= most_of_a_kind) return;
  const std::size_t left = items.size() - most_of_a_kind;
  lines.push_back({fmt::format("{} more {}", left, left == 1 ? one : many)});
}

/// "batch 7", "1 thread", "CPU"; empty for what a trial does not read.
std::string setting_text(sweep::Param param, const sweep::Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return {};
  const std::string text = clip(sweep::to_text(value), setting_columns_wide);
  if (param == sweep::Param::batch) return "batch " + text;
  if (param == sweep::Param::threads) return text + (text == "1" ? " thread" : " threads");
  if (param == sweep::Param::device && text == "cpu") return "CPU";
  return text;
}

std::string slot_text(const results::SlotRow& device) {
  const double peak = device.calibration.core_peak_flops_per_second;
  std::string text = device.name;
  if (std::isfinite(peak)) text += fmt::format(", {:.3g} GFLOP/s a core", peak * 1e-9);
  return device.flags.any() ? text + " (" + stats::text_of(device.flags) + ")" : text;
}

const char* advice_for(sweep::FailureKind kind) {
  switch (kind) {
    case sweep::FailureKind::crashed:
      return "read the worker's log in the run's folder; the same command with --rerun failed tries again";
    case sweep::FailureKind::timed_out:
      return "raise limits.trial_timeout in the sweep, or make the trial smaller";
    case sweep::FailureKind::out_of_memory:
      return "raise limits.memory in the sweep, or lower batch or length";
    case sweep::FailureKind::protocol:
      return "the worker does not keep the protocol: check its version and its log";
    case sweep::FailureKind::flooded:
      return "silence the worker's output, then run with --rerun failed";
    case sweep::FailureKind::reported:
      return "correct what its reason names, then run with --rerun failed";
    case sweep::FailureKind::could_not_start:
      return "read its log in the run's folder, then start the program by hand from where the run was started "
             "('regatta doctor' lists the interpreters)";
    case sweep::FailureKind::device:
      return "look at the device with 'regatta doctor'; the same command with --rerun failed tries again";
    case sweep::FailureKind::rank_lost:
      return "see whether the node ran out of memory, or the trial ends processes that are not its own; then use "
             "--rerun failed";
  }
  return "";
}

struct Advice {
  const results::Provenance& provenance;
  std::int64_t ranks = 1;  ///< ranks that the trial takes

  std::string operator()(const sweep::Finished&) const { return ""; }
  std::string operator()(const sweep::Failed& failed) const { return advice_for(failed.kind); }
  std::string operator()(const sweep::Skipped& skipped) const {
    switch (skipped.kind) {
      case sweep::SkipKind::unsupported:
        return "change what it names, or hide the row with 'exclude'";
      case sweep::SkipKind::not_installed:
        return fmt::format(
            "install it ('regatta doctor' lists what is here), then {} --rerun failed; or hide the row "
            "with 'exclude'",
            run_command(provenance));
      case sweep::SkipKind::too_few_ranks:
        return "with as many ranks as it names (--ranks of the command, or mpirun -n) and --rerun failed";
      case sweep::SkipKind::not_answerable:
        return fmt::format("on a machine that has it ('regatta doctor' says so): {} --rerun failed",
                           run_command(provenance));
    }
    return "";
  }
  std::string operator()(const sweep::Lost&) const {
    if (ranks == 1) return "run the same command again: it resumes";
    return fmt::format("run the same command again, with at least {} ranks: it resumes", ranks);
  }
};

std::size_t rank(const sweep::Outcome& outcome) {
  if (std::holds_alternative<sweep::Failed>(outcome)) return 0;
  return std::holds_alternative<sweep::Lost>(outcome) ? 1 : 2;
}

/// Where no comparison has both its arms, the question of the sweep is not answered by the times of those that ran.
Answer no_ratio(const results::Results& results) {
  std::vector<std::string> reasons;
  bool is_here = false;  // whether another machine may run a skipped trial
  for (const Ended& ended : not_measured(results)) {
    if (!ended.skip) continue;
    is_here |= sweep::may_run_elsewhere(ended.skip->kind);
    reasons.push_back(ended.skip->reason);
  }
  if (reasons.empty()) return {"No ratio: nothing was measured together with its baseline"};
  std::string text = (is_here ? "Not answerable on this machine: no comparison has both its arms (skipped: "
                              : "Not answerable: no comparison has both its arms (skipped: ") +
                     reasons.front();
  for (std::size_t i = 1; i < std::min(reasons.size(), most_of_a_kind); ++i) text += "; " + reasons[i];
  if (reasons.size() > most_of_a_kind) text += fmt::format("; {} more reasons", reasons.size() - most_of_a_kind);
  const std::string remark = is_here ? "Run the same sweep where they can run"
                                     : "Change what these name, or run the same sweep where they can run";
  const bool has_times = std::ranges::any_of(
      results.trials, [](const auto& trial) { return std::holds_alternative<sweep::Finished>(trial.outcome); });
  return {text + ")", remark + (has_times ? "; the times below answer another question" : "")};
}

/// Skips of one kind in the place of the first.
std::vector<Ended> fold_alike(std::vector<Ended> skips) {
  std::unordered_map<std::string, std::size_t> reasons;
  for (const Ended& ended : skips) ++reasons[results::without_numbers(ended.reason)];
  std::vector<Ended> kept;
  std::unordered_map<std::string, std::size_t> places;
  for (Ended& ended : skips) {
    const std::string kind = results::without_numbers(ended.reason);
    const std::size_t count = reasons[kind];
    const auto [place, is_first] = places.try_emplace(kind, kept.size());
    if (count <= results::most_alike || is_first) {
      if (count > results::most_alike) {
        ended.reason = results::text_for_all(ended.reason, count);
        ended.skip->reason = results::text_for_all(ended.skip->reason, count);
      }
      kept.push_back(std::move(ended));
      continue;
    }
    auto& trials = kept[place->second].trials;
    trials.insert(trials.end(), ended.trials.begin(), ended.trials.end());
  }
  return kept;
}

bool is_merged(const results::Results& results) {
  return std::ranges::any_of(results.sessions, [](const auto& session) { return session.source >= 0; });
}

/// " and NVIDIA H200 (GPU-7a)", " and 8 devices"; empty where all slots are cores.
std::string devices_text(const results::Results& results) {
  const auto has_device = [](const results::SlotRow& slot) { return slot.kind != "cpu"; };
  const auto count = std::ranges::count_if(results.devices, has_device);
  if (count == 0) return "";
  if (count > 1) return fmt::format(" and {} devices", count);
  return " and " + clean(std::ranges::find_if(results.devices, has_device)->name);
}

/// "AMD EPYC (2 cores)", "4 hosts and 8 devices".
std::string where_text(const results::Results& results) {
  if (results.hosts.size() != 1) return fmt::format("{} hosts", results.hosts.size()) + devices_text(results);
  const auto& host = results.hosts.front();
  return fmt::format("{} ({} core{})", clean(host.cpu_model), host.cores, host.cores == 1 ? "" : "s") +
         devices_text(results);
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 1) return duration_text(seconds);
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

std::string run_line(const View& view) {
  const auto is_finished = [](const auto& trial) { return std::holds_alternative<sweep::Finished>(trial.outcome); };
  const auto& trials = view.results.trials;
  std::string text = view.learning ? learning_counts(*view.learning)
                     : std::ranges::all_of(trials, is_finished) && view.results.complete
                         ? fmt::format("{} trial{}", trials.size(), trials.size() == 1 ? "" : "s")
                         : counts_line(view.results);
  if (const double seconds = run_seconds(view.results); seconds > 0) text += " in " + time_text(seconds);
  if (!view.results.hosts.empty()) text += " on " + where_text(view.results);
  const std::string shared = clean(shared_setting(view.results));
  return shared.empty() ? text : text + "; " + shared;
}

std::string counts_line(const results::Results& results) {
  std::array<std::size_t, std::variant_size_v<sweep::Outcome>> counts{};
  for (const auto& trial : results.trials) ++counts[trial.outcome.index()];
  const sweep::Outcome kinds[] = {sweep::Finished{}, sweep::Failed{}, sweep::Skipped{}, sweep::Lost{}};
  std::string text = fmt::format("{} {}: ", results.trials.size(), results.trials.size() == 1 ? "trial" : "trials");
  const char* separator = "";
  for (const auto& kind : kinds) {
    const std::size_t count = counts[kind.index()];
    if (count == 0 && !std::holds_alternative<sweep::Finished>(kind)) continue;
    text += fmt::format("{}{} {}", separator, count, sweep::status_of(kind));
    separator = ", ";
  }
  return text + (results.complete ? "" : " (not complete)");
}

std::string took_text(const results::Results& results, const std::string& time) {
  std::set<std::string> commands;
  for (const auto& session : results.sessions) commands.insert(session.created);
  if (commands.size() < 2 || is_merged(results)) return "took " + time;
  return fmt::format("took {} of running in {} sessions", time, commands.size());
}

double run_seconds(const results::Results& results) {
  double elapsed = 0;
  for (const auto& session : results.sessions) elapsed += session.self.elapsed_seconds;
  if (elapsed > 0 && !is_merged(results)) return elapsed;  // not a number where a session did not tell
  std::vector<std::pair<double, double>> spans;
  for (const auto& block : results.blocks) spans.emplace_back(block.start_wall_seconds, block.end_wall_seconds);
  for (const auto& leg : results.legs) spans.emplace_back(leg.start_wall_seconds, leg.end_wall_seconds);
  return stats::covered_seconds(std::move(spans));
}

std::string shared_setting(const results::Results& results) {
  std::string text;
  for (const auto param : {sweep::Param::model, sweep::Param::batch, sweep::Param::threads, sweep::Param::device}) {
    std::set<std::string> values;
    for (const auto& trial : results.trials) {
      if (!std::holds_alternative<sweep::Skipped>(trial.outcome))
        values.insert(setting_text(param, trial.parameters[param]));
    }
    if (values.size() != 1 || values.begin()->empty()) continue;
    text += (text.empty() ? "" : ", ") + *values.begin();
  }
  return text;
}

std::string unnamed_text(const View& view) {
  const std::string usual = analysis::usual_text(view.axes);
  return usual.empty() ? "" : "unless its name says otherwise, an arm has " + usual;
}

std::vector<std::string> pair_ranges(const View& view) {
  const auto& pairs = view.effects.effects;
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < std::min(pairs.size(), most_pairs); ++i)
    sentences.push_back(effect_sentence(view, pairs[i]));
  if (pairs.size() > most_pairs)
    sentences.push_back(fmt::format("{} more pair{} of arms, in the tables", pairs.size() - most_pairs,
                                    pairs.size() == most_pairs + 1 ? "" : "s"));
  return sentences;
}

std::string one_line(const Answer& answer) {
  if (answer.remark.empty()) return answer.text;
  return answer.text + (answer.text.ends_with('.') ? " " : ". ") + answer.remark;
}

std::vector<Answer> headline(const View& view) {
  std::vector<Answer> answers;
  const auto add_all = [&](std::vector<std::string> sentences) {
    for (std::string& sentence : sentences) answers.push_back({std::move(sentence)});
  };
  add_sentences(answers, rank_answers(view), std::identity(), "answer about ranks, in report --json",
                "answers about ranks, in report --json");
  if (!answers.empty()) {
    add_all(pair_ranges(view));
    return answers;
  }
  std::vector<Answer> fastest;
  for (FastestSentence& each : fastest_sentences(view))
    fastest.push_back({std::move(each.answer), std::move(each.remark)});
  add_sentences(answers, fastest, std::identity(), "setting's fastest, in report --json",
                "settings' fastest, in report --json");
  if (answers.empty()) add_all(pair_ranges(view));
  if (!answers.empty()) return answers;
  if (!view.contrasts.missing.empty()) return {no_ratio(view.results)};
  add_all(study_sentences(view));
  return answers;
}

std::vector<std::string> findings(const View& view) {
  std::vector<std::string> lines;
  const auto interaction = [&](const analysis::Interaction& each) { return interaction_sentence(view, each); };
  add_sentences(lines, unknown_rank_answers(view), std::identity(), "reason", "reasons");
  add_sentences(lines, view.effects.crossings, crossing_sentence, "crossover", "crossovers");
  add_sentences(lines, view.effects.interactions, interaction, "interaction", "interactions");
  add_sentences(lines, pay_back_sentences(view), std::identity(), "pair whose starts differ",
                "pairs whose starts differ");
  return lines;
}

double margin_of(const View& view) {
  constexpr double usual = 0.01;
  return view.contrasts.contrasts.empty() ? usual : view.contrasts.contrasts.front().margin;
}

std::vector<std::string> machines(const results::Results& results) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < results.hosts.size(); ++i) {
    const auto& host = results.hosts[i];
    std::string line = fmt::format("{}: {}, {} cores, {}", host.name, host.cpu_model, host.cores,
                                   size_text(static_cast<double>(host.memory_bytes)));
    if (!host.governor.empty()) line += ", governor " + host.governor;
    std::size_t slots = 0;
    for (const auto& device : results.devices) {
      if (device.host != static_cast<std::int32_t>(i) || ++slots > most_slots) continue;
      line += "; " + slot_text(device);
    }
    if (slots > most_slots) line += fmt::format(" and {} more slots", slots - most_slots);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> engines(const results::Results& results) {
  std::vector<std::string> lines;
  for (const auto& env : results.envs) {
    if (!env.version.empty()) lines.push_back(env.name + " " + env.version);  // empty: no worker of it began
  }
  return lines;
}

std::vector<Ended> not_measured(const results::Results& results) {
  std::array<std::vector<Ended>, 3> by_status;
  std::unordered_map<std::string, std::size_t> by_reason;
  for (std::uint32_t index = 0; index < results.trials.size(); ++index) {
    const auto& outcome = results.trials[index].outcome;
    if (std::holds_alternative<sweep::Finished>(outcome)) continue;
    auto& list = by_status[rank(outcome)];
    const std::string status = sweep::status_of(outcome);
    const std::string reason = sweep::reason_of(outcome);
    const std::int64_t ranks = sweep::integer_or(results.trials[index].parameters, sweep::Param::ranks, 1);
    const std::string needs = std::holds_alternative<sweep::Lost>(outcome) ? std::to_string(ranks) : "";
    const auto [entry, is_new] = by_reason.try_emplace(status + '\n' + reason + '\n' + needs, list.size());
    const auto* skipped = std::get_if<sweep::Skipped>(&outcome);
    if (is_new)
      list.push_back({status,
                      reason,
                      std::visit(Advice{results.provenance, ranks}, outcome),
                      {},
                      {},
                      skipped != nullptr ? std::optional(*skipped) : std::nullopt});
    list[entry->second].trials.push_back(TrialIndex{index});
  }
  by_status.back() = fold_alike(std::move(by_status.back()));
  std::vector<Ended> all;
  for (auto& list : by_status) std::move(list.begin(), list.end(), std::back_inserter(all));
  return all;
}

std::string reason_text(const View& view, const Ended& ended) {
  std::string text = ended.reason;
  if (ended.details.empty()) return text;
  if (ended.trials.size() == 1) return text + ": " + ended.details.front();
  for (std::size_t i = 0; i < std::min({names_shown, ended.trials.size(), ended.details.size()}); ++i)
    text += fmt::format("; {}: {}", names_of(view, {ended.trials[i]}, 1), ended.details[i]);
  return text;
}

namespace {

/// A comparison over replicates has the name of its first trial without what tells that one apart from the others.
std::string name_of(const View& view, TrialIndex trial) {
  const sweep::Parameters& parameters = view.results.trials[trial.value].parameters;
  const analysis::Contrast* contrast = view.ratio[trial.value];
  if (contrast == nullptr || !has_replicates(*contrast) || contrast->a != trial)
    return analysis::trial_label(parameters, view.axes);
  return analysis::trial_label(parameters, {view.axes.arm, view.axes.stratum, view.axes.usual});
}

}  // namespace

std::string names_of(const View& view, const std::vector<TrialIndex>& trials, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(trials.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == trials.size() ? " and " : ", ";
    text += name_of(view, trials[i]);
  }
  return shown < trials.size() ? text + fmt::format(" and {} more", trials.size() - shown) : text;
}

}  // namespace regatta::report
