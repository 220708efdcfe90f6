#include "regatta/results/changed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "regatta/base/error.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/origins.hpp"
#include "results/collect/collect.hpp"
#include "results/collect/gather.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

/// By session, counted from 1 as gather() does.
std::vector<sweep::Origins> origins_of_sessions(const Scan& journal) {
  std::vector<sweep::Origins> all(1);
  for (const Record& record : journal.records) {
    if (is_header(record)) all.push_back(parse_header(record).provenance.origins);
  }
  return all;
}

void add_differences(std::vector<std::string>& changed, const std::string& runner, const sweep::Origins& then,
                     const sweep::Origins& now) {
  const auto before = then.find(runner);
  const auto after = now.find(runner);
  if (before == then.end() || after == now.end()) return;
  for (std::string& what : sweep::differences(before->second, after->second)) changed.push_back(std::move(what));
}

/// Whether some session tells of the same runner what is not so now.
bool may_differ(const sweep::Origins& then, const sweep::Origins& now) {
  return std::ranges::any_of(then, [&](const auto& told) {
    const auto known = now.find(told.first);
    return known != now.end() && known->second != told.second;
  });
}

/// By trial, the names of all that it depends on among the origins of a session.
using Runners = std::unordered_map<Hash128, std::vector<std::string>>;

ChangedArms changed_arms(const BlockRecord& record, const Runners& runners, const sweep::Origins& then,
                         const sweep::Origins& now) {
  ChangedArms arms;
  for (const sweep::ArmOutcome& arm : record.arms) {
    std::vector<std::string>& changed = arms.emplace_back();
    const auto names = runners.find(arm.trial);
    if (names != runners.end()) {
      for (const std::string& name : names->second) add_differences(changed, name, then, now);
    }
    if (std::holds_alternative<sweep::Failed>(arm.outcome)) add_differences(changed, sweep::limits_origin, then, now);
  }
  return arms;
}

}  // namespace

ChangedBlocks changed_blocks(const Scan& journal, const sweep::Plan& plan, const sweep::Origins& now) {
  ChangedBlocks changed;
  const std::vector<sweep::Origins> sessions = origins_of_sessions(journal);
  if (std::ranges::none_of(sessions, [&](const auto& then) { return may_differ(then, now); })) return changed;
  Runners runners;
  sweep::PlacedWords placed;
  for (const sweep::Trial& trial : plan.trials) {
    std::vector<std::string>& names = runners[trial.hash];
    names.push_back(sweep::runner_of(trial.parameters));
    for (const std::string& word : placed.of(trial)) names.push_back(sweep::origin_of_word(word));
  }
  HashSet blocks;
  for (const sweep::Block& block : plan.blocks) blocks.insert(block.hash);
  for (const Taken& taken : gather(journal.records, blocks).taken) {
    ChangedArms arms = changed_arms(taken.result.block, runners, sessions.at(taken.session), now);
    if (std::ranges::any_of(arms, [](const auto& what) { return !what.empty(); }))
      changed.emplace(taken.result.block.block, std::move(arms));
  }
  return changed;
}

LastOrigins last_origins(const Scan& journal) {
  const auto header = std::find_if(journal.records.rbegin(), journal.records.rend(), is_header);
  if (header == journal.records.rend()) return {};
  Provenance provenance = parse_header(*header).provenance;
  return {std::move(provenance.origins), provenance.keeps_changed};
}

std::optional<stats::SpreadPool> spreads_before(const Scan& journal) {
  const auto header = std::ranges::find_if(journal.records, is_header);
  if (header == journal.records.end()) return std::nullopt;
  return parse_header(*header).provenance.spreads;
}

namespace {

std::string what_differs(const std::string& command, const sweep::Sweep& then, const sweep::Sweep& now) {
  const auto before = then.commands.find(command);
  const auto after = now.commands.find(command);
  const bool are_known = before != then.commands.end() && after != now.commands.end();
  const bool is_metric = are_known && before->second.metric_key != after->second.metric_key;
  return fmt::format("the {} of the command {}", is_metric ? "metric" : "arguments", command);
}

/// The parts of "train" and "objective" that make a training another one; empty: none differs.
std::string differences_of_training(const sweep::Sweep& then, const sweep::Sweep& now) {
  if (!then.training || !now.training) return {};
  const sweep::Training &a = *then.training, &b = *now.training;
  const std::pair<const char*, bool> parts[] = {{"epochs", a.epochs != b.epochs},
                                                {"steps", a.steps != b.steps},
                                                {"evaluations", a.evaluations != b.evaluations},
                                                {"validation", a.validation != b.validation},
                                                {"early_stop", a.early_stop != b.early_stop},
                                                {"metric", then.objective.metric != now.objective.metric},
                                                {"goal", then.objective.maximizes != now.objective.maximizes}};
  std::string names;
  for (const auto& [name, differs] : parts)
    if (differs) names += (names.empty() ? "" : ", ") + std::string(name);
  return names.empty() ? names : fmt::format("the training ({})", names);
}

/// The two sweeps give a trial of these parameters another identity.
std::string what_differs(const sweep::Parameters& parameters, const sweep::Sweep& then, const sweep::Sweep& now) {
  if (const auto* command = std::get_if<std::string>(&parameters[sweep::Param::command]))
    return what_differs(*command, then, now);
  const sweep::Dataset* const before = sweep::dataset_of(then, parameters);
  const sweep::Dataset* const after = sweep::dataset_of(now, parameters);
  if (before != nullptr && after != nullptr && *before != *after) return "the dataset " + after->name;
  if (std::string training = differences_of_training(then, now); !training.empty()) return training;
  return "the model " + sweep::to_text(parameters[sweep::Param::model]);
}

std::vector<OtherWords> other_words(const LastPlan& last, const sweep::Sweep& sweep, const sweep::Plan& plan) {
  std::unordered_map<std::string, Hash128> then;
  for (const sweep::Trial& trial : last.plan.trials) then[sweep::to_json(trial.parameters)] = trial.hash;
  std::vector<OtherWords> all;
  for (const sweep::Trial& trial : plan.trials) {
    const auto known = then.find(sweep::to_json(trial.parameters));
    if (known == then.end() || known->second == trial.hash) continue;
    const std::string what = what_differs(trial.parameters, last.sweep, sweep);
    auto line = std::ranges::find(all, what, &OtherWords::what);
    if (line == all.end()) line = all.insert(all.end(), {what, {}});
    line->trials.push_back(trial.index);
  }
  return all;
}

/// Whether all that was asked for last is asked for now: then none of it goes by another identity.
bool keeps_all(const std::vector<Record>& records, const sweep::Plan& plan) {
  const auto last =
      std::find_if(records.rbegin(), records.rend(), [](const Record& record) { return is_plan(record); });
  HashSet now;
  now.reserve(plan.trials.size());
  for (const sweep::Trial& trial : plan.trials) now.insert(trial.hash);
  return std::ranges::all_of(parse_plan(whole_plan(records, *last)).trials,
                             [&](const Hash128& trial) { return now.contains(trial); });
}

}  // namespace

std::vector<OtherWords> other_words(const std::filesystem::path& folder, const Scan& journal, const sweep::Sweep& sweep,
                                    const sweep::Plan& plan) {
  if (std::ranges::none_of(journal.records, is_plan)) return {};
  try {
    if (keeps_all(journal.records, plan)) return {};
    return other_words(last_plan(folder, journal.records), sweep, plan);
  } catch (const InputError&) {
    return {};  // another version's plan: nothing is known of it, and its rows are told by their identity
  }
}

}  // namespace regatta::results
