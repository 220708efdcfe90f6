// From journal and samples.bin to the tables.
#include "results/collect/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "regatta/base/error.hpp"
#include "regatta/results/changed.hpp"
#include "regatta/results/finals.hpp"
#include "regatta/results/store.hpp"
#include "regatta/results/told_results.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/final_block.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/collect/gather.hpp"
#include "results/collect/metrics.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"
#include "results/rows/row_tables.hpp"

namespace regatta::results {
namespace {

std::string ids_text(const std::vector<Hash128>& ids) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(ids.size(), shown); ++i) text += (i > 0 ? ", " : "") + to_string(ids[i]);
  return ids.size() > shown ? fmt::format("{} and {} more", text, ids.size() - shown) : text;
}

/// Refuses ids that stand in one of the two sets only.
void expect_same_ids(std::vector<Hash128> recorded, std::vector<Hash128> planned, const std::string& what) {
  std::ranges::sort(recorded);
  std::ranges::sort(planned);
  std::vector<Hash128> difference;
  std::ranges::set_symmetric_difference(recorded, planned, std::back_inserter(difference));
  if (difference.empty()) return;
  throw InputError(
      fmt::format("{} recorded and planned differ in {}: {}. A table with or without them would be wrong. Run the same "
                  "command again with this version, or collect with the version that wrote the folder",
                  what, difference.size(), ids_text(difference)));
}

/// Whether the plan that was made of this sweep is the one recorded. One that trains may be cut to the legs that are
/// due.
bool is_recorded(const GivenSweep& given, const LastPlan& planned, const Record& plan) {
  if (given.sweep.training || plan.hash != sweep_hash(given.sweep)) return false;
  if (!std::ranges::equal(planned.record.trials, given.plan.trials, {}, {}, &sweep::Trial::hash)) return false;
  auto recorded = planned.record.blocks.begin();
  for (const sweep::Block& block : given.plan.blocks) {
    if (block.is_final) continue;
    if (recorded == planned.record.blocks.end() || *recorded++ != block.hash) return false;
  }
  return recorded == planned.record.blocks.end();
}

}  // namespace

LastPlan last_plan(const std::filesystem::path& folder, const std::vector<Record>& records, const GivenSweep* given) {
  const Record* header = nullptr;
  const Record* plan = nullptr;
  for (const Record& record : records) {
    if (is_header(record)) header = &record;
    if (is_plan(record)) plan = &record;
  }
  if (header == nullptr || plan == nullptr) {
    throw InputError(
        fmt::format("'{}' holds no plan (nothing was run into it yet); run the sweep first", folder.string()));
  }
  LastPlan planned{parse_header(*header), parse_plan(whole_plan(records, *plan)), {}, {}};
  planned.sweep = sweep_of(planned.record, *plan);
  if (planned.header.name != planned.sweep.name) {
    throw InputError(
        fmt::format("record {} of the journal names the sweep '{}', but its plan is that of '{}'. Its results belong "
                    "to an unknown sweep. Run the sweep again into another folder",
                    header->place.sequence, planned.header.name, planned.sweep.name));
  }
  if (given != nullptr && is_recorded(*given, planned, *plan)) {
    planned.plan = sweep::with_finals(given->plan, {});
    return planned;
  }
  planned.plan = sweep::make_plan(planned.sweep);
  if (std::ranges::equal(planned.record.trials, planned.plan.trials, {}, {}, &sweep::Trial::hash)) return planned;
  std::vector<Hash128> trials;
  for (const sweep::Trial& trial : planned.plan.trials) trials.push_back(trial.hash);
  expect_same_ids(planned.record.trials, trials, "the trials");
  return planned;
}

namespace {

/// Index of the arm that the last arm clones, if it is a clone.
std::optional<std::size_t> cloned_arm(const BlockRecord& record) {
  const auto is_last = [&](const sweep::ArmOutcome& arm) { return arm.trial == record.arms.back().trial; };
  const auto found = std::ranges::find_if(record.arms, is_last);
  if (record.arms.empty() || found + 1 == record.arms.end()) return std::nullopt;
  return static_cast<std::size_t>(found - record.arms.begin());
}

/// A clone may come and go between sessions, as other blocks do; the arms themselves may not.
void check_arms(const sweep::Plan& plan, const sweep::Block& block, const BlockRecord& record) {
  const auto is_planned = [&](const sweep::ArmOutcome& arm, TrialIndex trial) {
    return arm.trial == plan.trials[trial.value].hash;
  };
  if (std::ranges::equal(record.arms, block.arms, is_planned)) return;
  std::vector<Hash128> recorded;
  std::vector<Hash128> planned;
  for (const sweep::ArmOutcome& arm : record.arms) recorded.push_back(arm.trial);
  for (TrialIndex trial : block.arms) planned.push_back(plan.trials[trial.value].hash);
  if (cloned_arm(record)) recorded.pop_back();
  if (block.has_clone) planned.pop_back();
  const bool same_order = recorded == planned;
  expect_same_ids(recorded, planned, fmt::format("the arms of block {}", to_string(block.hash)));
  if (!same_order) throw_other_arms(block.hash);
}

void start_trials(Results& results, const sweep::Plan& plan) {
  results.trials.reserve(plan.trials.size());
  for (const sweep::Trial& trial : plan.trials) {
    TrialRow& row = results.trials.emplace_back();
    row.hash = trial.hash;
    row.parameters = trial.parameters;
    row.outcome = sweep::Lost{};
    if (trial.skip_reason) row.outcome = sweep::Skipped{*trial.skip_reason};
  }
}

void start_blocks(Results& results, const sweep::Plan& plan) {
  results.blocks.reserve(plan.blocks.size());
  for (const sweep::Block& block : plan.blocks) {
    if (block.is_intervention() || block.leg) continue;
    BlockRow row;
    row.hash = block.hash;
    row.arms = block.arms;
    row.has_baseline = block.has_baseline;
    row.has_clone = block.has_clone;
    results.blocks.push_back(std::move(row));
  }
}

/// A trial in several blocks (a baseline) keeps its first finished measurement, or else its first; blocks that were
/// measured again come first.
bool replaces(const TrialRow& row, const sweep::ArmOutcome& arm) {
  if (std::holds_alternative<sweep::Lost>(row.outcome)) return true;
  return !std::holds_alternative<sweep::Finished>(row.outcome) && std::holds_alternative<sweep::Finished>(arm.outcome);
}

/// `read` is null where samples are not read, or tell nothing of the trial.
void fill_trial(const sweep::Sweep& sweep, Results& results, TrialRow& row, const Taken& taken,
                const sweep::ArmOutcome& arm, const std::vector<stats::Sample>* read) {
  row.outcome = arm.outcome;
  row.attempt = static_cast<std::int32_t>(taken.result.block.attempt);
  row.env = arm.environment.empty()
                ? -1
                : position_of(results.envs,
                              Env{arm.environment, arm.engine, sweep::text_of(arm.facts, sweep::Fact::engine_version)},
                              same_env);
  row.device = taken.device;
  row.host = taken.device < 0 ? -1 : results.devices[static_cast<std::size_t>(taken.device)].host;
  row.verified = arm.verified;
  row.facts = arm.facts;
  std::erase_if(row.facts, [](const sweep::KnownFact& known) {
    const sweep::FactInfo& info = sweep::info(known.fact);
    return !sweep::is_text(info) || info.column.empty();
  });
  row.start_wall_seconds = taken.result.block.start_wall_seconds;
  row.end_wall_seconds = taken.result.block.end_wall_seconds;
  row.metrics.clear();
  if (read == nullptr || !std::holds_alternative<sweep::Finished>(arm.outcome)) return;
  const std::span<const stats::Sample> samples = *read;
  row.metrics = step_metrics(samples, sweep::batch_of(row.parameters));
  if (sweep.measure.metric == sweep::Metric::time_to_n) {
    if (const auto seconds = time_to(samples, *sweep.measure.n))
      row.metrics[std::string(sweep::info(sweep::Metric::time_to_n).name)] = *seconds;
  }
  const bool tells_calls = sweep::is_latency(sweep.measure.metric) || !sweep::hands_over_steps(sweep, row.parameters);
  if (tells_calls) row.metrics.merge(call_metrics(samples, sweep::steps_per_call(row.parameters)));
  for (const sweep::KnownFact& known : arm.facts) {
    const sweep::FactInfo& info = sweep::info(known.fact);
    if (!sweep::is_text(info) && !info.column.empty())  // the samples know better
      row.metrics.try_emplace(std::string(info.column), sweep::number_of(arm.facts, known.fact));
  }
  // Memory that did not grow was read all the same.
  if (sweep::number_of(arm.facts, sweep::Fact::memory_steps) > 0)
    row.metrics.try_emplace(std::string(sweep::info(sweep::Fact::memory_growth).column), 0);
}

/// Numbers slices and squares on from those of the sessions before.
void append_later(std::vector<stats::Sample>& samples, std::vector<stats::Sample> later, const BlockRecord& record) {
  std::uint32_t slices = 0;
  std::uint16_t squares = 0;
  for (const stats::Sample& sample : samples) {
    slices = std::max(slices, sample.slice + 1);
    squares = std::max(squares, static_cast<std::uint16_t>(sample.square + 1));
  }
  // An arm that failed this time keeps what it had.
  std::erase_if(later, [&](const stats::Sample& sample) {
    return sample.arm < record.arms.size() && !std::holds_alternative<sweep::Finished>(record.arms[sample.arm].outcome);
  });
  for (stats::Sample& sample : later) {
    sample.slice += slices;
    sample.square = static_cast<std::uint16_t>(sample.square + squares);
  }
  samples.insert(samples.end(), later.begin(), later.end());
}

std::vector<stats::Sample> all_samples(const SampleLogReader& log, const Taken& taken) {
  std::vector<stats::Sample> samples;
  if (taken.result.samples.count > 0) samples = log.read(taken.result.samples);
  for (const ResultRecord& more : taken.more) {
    if (more.samples.count == 0) continue;
    std::vector<stats::Sample> later = log.read(more.samples);
    // Another version may have cloned another arm: two clones are not one.
    if (const auto clone = cloned_arm(more.block); clone && clone != cloned_arm(taken.result.block))
      std::erase_if(later, [&](const stats::Sample& sample) { return sample.arm + 1U == more.block.arms.size(); });
    append_later(samples, std::move(later), more.block);
  }
  return samples;
}

using SamplesByArm = std::vector<std::vector<stats::Sample>>;

/// The block's samples, apart for each arm; `log` is null if it has none.
SamplesByArm samples_by_arm(const SampleLogReader* log, const Taken& taken) {
  const std::size_t arms = taken.result.block.arms.size();
  SamplesByArm by_arm(arms);
  if (log == nullptr) return by_arm;
  for (const stats::Sample& sample : all_samples(*log, taken)) {
    if (sample.arm >= arms) {
      throw InputError(
          fmt::format("block {} has a sample of arm {}, but only {} arms (its measurements cannot be "
                      "trusted); please report it",
                      to_string(taken.result.block.block), sample.arm, arms));
    }
    by_arm[sample.arm].push_back(sample);
  }
  return by_arm;
}

/// Sets the changes of a row whose origin is not today's.
void mark_changed(sweep::Facts& facts, const ChangedArms& changed, std::size_t arm) {
  if (arm < changed.size())
    sweep::set(facts, sweep::Fact::changed_since, fmt::format("{}", fmt::join(changed[arm], "; ")));
}

stats::Flags flags_of(const Taken& taken) {
  stats::Flags flags = taken.result.block.flags;
  for (const ResultRecord& more : taken.more) {
    if (more.block.visit != 0) flags.add(more.block.flags);  // 0: a later session wrote it
  }
  return flags;
}

void fill_block(Results& results, const LastPlan& planned, BlockIndex index, const Taken& taken,
                const ChangedArms& changed, const SamplesByArm* samples) {
  const sweep::Block& block = planned.plan.blocks[index.value];
  const BlockRecord& record = taken.result.block;
  check_arms(planned.plan, block, record);
  BlockRow& row = results.blocks[index.value];
  row.measured_again = record.measured_again;
  row.attempt = static_cast<std::int32_t>(record.attempt);
  row.start_wall_seconds = record.start_wall_seconds;
  row.end_wall_seconds = taken.more.empty() ? record.end_wall_seconds : taken.more.back().block.end_wall_seconds;
  row.own_seconds = record.own_seconds;
  for (const ResultRecord& more : taken.more) row.own_seconds += more.block.own_seconds;
  row.flags = flags_of(taken);
  row.device = record.device;
  for (const ResultRecord& more : taken.more) row.device = sweep::joined(row.device, more.block.device);
  if (!changed.empty()) row.flags.add(stats::Flag::changed_since);
  const std::vector<const BlockRecord*> told = last_of_attempts(taken);
  const auto cloned = cloned_arm(record);
  row.has_clone = cloned.has_value();
  row.arms.resize(record.arms.size(), row.arms.front());
  if (cloned) row.arms.back() = row.arms[*cloned];
  for (std::size_t at = 0; at < record.arms.size(); ++at) {
    const TrialIndex trial = row.arms[at];
    TrialRow& trial_row = results.trials[trial.value];
    const bool is_clone = row.has_clone && at + 1 == record.arms.size();
    if (!is_clone && replaces(trial_row, told.front()->arms.at(at))) {
      fill_trial(planned.sweep, results, trial_row, taken, told.front()->arms.at(at),
                 samples == nullptr ? nullptr : &samples->at(at));
      for (const BlockRecord* more : std::span(told).subspan(1)) add_later(trial_row, more->arms.at(at).facts);
      fill_results(trial_row);
      mark_changed(trial_row.facts, changed, at);
    }
    const bool has_failed = !std::holds_alternative<sweep::Finished>(told.front()->arms[at].outcome);
    if (samples == nullptr || (block.is_final && has_failed)) continue;  // a cell that failed now keeps what it had
    for (const stats::Sample& sample : samples->at(at)) results.samples.push_back({trial, index, sample});
  }
}

/// The trial is as its first leg that finished says; which other legs it has, the search said.
void fill_leg(Results& results, const LastPlan& planned, BlockIndex index, const Taken& taken,
              const ChangedArms& changed) {
  const sweep::Block& block = planned.plan.blocks[index.value];
  const BlockRecord& record = taken.result.block;
  check_arms(planned.plan, block, record);
  add_leg(results, block, taken);
  TrialRow& row = results.trials[block.arms.front().value];
  if (!replaces(row, record.arms.front())) return;
  fill_trial(planned.sweep, results, row, taken, record.arms.front(), nullptr);
  fill_results(row);
  mark_changed(row.facts, changed, 0);
}

void add_failed_attempts(Results& results, const std::vector<FailedAttemptRecord>& attempts) {
  if (attempts.empty()) return;
  std::unordered_map<Hash128, std::uint32_t> trials;
  std::unordered_map<Hash128, std::uint32_t> blocks;
  for (std::uint32_t i = 0; i < results.trials.size(); ++i) trials[results.trials[i].hash] = i;
  for (std::uint32_t i = 0; i < results.blocks.size(); ++i) blocks[results.blocks[i].hash] = i;
  for (const FailedAttemptRecord& attempt : attempts) {
    if (!blocks.contains(attempt.block)) continue;  // an intervention's attempt stays in the journal
    const auto trial = trials.find(attempt.trial);
    if (trial == trials.end()) expect_same_ids({attempt.trial}, {}, "the arms of a failed attempt");
    results.failed_attempts.push_back({{blocks.at(attempt.block)},
                                       {trial->second},
                                       static_cast<std::int32_t>(attempt.attempt),
                                       attempt.kind,
                                       attempt.message});
  }
}

void sort_intervention_samples(std::vector<InterventionSampleRow>& samples) {
  std::ranges::stable_sort(samples, {}, [](const InterventionSampleRow& row) {
    return std::tuple(row.row, row.sample.slice, row.sample.start_seconds);
  });
}

Results start_results(const LastPlan& planned, Gathered& gathered) {
  Results results;
  results.name = planned.header.name;
  for (const sweep::Param& axis : sweep::axis_params(planned.sweep))
    results.axis_names.emplace_back(sweep::name_of(axis));
  results.hosts = std::move(gathered.hosts);
  results.devices = std::move(gathered.devices);
  results.provenance = planned.header.provenance;
  results.provenance.sweep_json = planned.record.text;
  results.other_blocks = static_cast<std::int64_t>(gathered.other_blocks.size());
  start_trials(results, planned.plan);
  start_blocks(results, planned.plan);
  start_interventions(results, planned.plan);
  return results;
}

}  // namespace

Results collect(const std::filesystem::path& folder) { return collect(folder, read_store(folder)); }

Results collect(const std::filesystem::path& folder, const Scan& journal) {
  LastPlan planned = last_plan(folder, journal.records);
  return collect_rows(folder, journal, planned, Samples::read);
}

Results collect(const std::filesystem::path& folder, const Scan& journal, const GivenSweep& given) {
  LastPlan planned = last_plan(folder, journal.records, &given);
  return collect_rows(folder, journal, planned, Samples::read);
}

namespace {

/// Where each block stands in the plan.
struct Places {
  explicit Places(const sweep::Plan& plan) {
    blocks.reserve(plan.blocks.size());
    index_of.reserve(plan.blocks.size());
    for (const sweep::Block& block : plan.blocks) {
      blocks.insert(block.hash);
      index_of[block.hash] = block.index;
    }
  }

  HashSet blocks;
  std::unordered_map<Hash128, BlockIndex> index_of;
};

/// The journal's rows of the plan, without those that are to be measured again.
Gathered gather_rows(const Scan& journal, const Places& places, const Finals& finals, const ChangedBlocks& changed,
                     bool keeps_changed) {
  Gathered gathered = gather(journal.records, places.blocks);
  for (const Hash128& final : finals.others) gathered.other_blocks.erase(final);
  const auto is_changed = [&](const Taken& taken) { return changed.contains(taken.result.block.block); };
  if (!keeps_changed) std::erase_if(gathered.taken, is_changed);
  std::stable_partition(gathered.taken.begin(), gathered.taken.end(),
                        [](const Taken& each) { return each.result.block.measured_again; });
  return gathered;
}

}  // namespace

Results collect_rows(const std::filesystem::path& folder, const Scan& journal, LastPlan& planned, Samples samples) {
  const LastOrigins last = last_origins(journal);
  const Finals finals = recorded_finals(journal, planned.plan, last.origins, last.keeps_changed);
  planned.plan = sweep::with_finals(std::move(planned.plan), finals.blocks);
  const Places places(planned.plan);
  const ChangedBlocks changed = changed_blocks(journal, planned.plan, last.origins);
  Gathered gathered = gather_rows(journal, places, finals, changed, last.keeps_changed);
  Results results = start_results(planned, gathered);
  results.sessions = sessions_of(journal.records);
  std::optional<SampleLogReader> log;
  for (Taken& each : gathered.taken) {
    const Taken taken = std::move(each);  // a reference would go as the tables grow
    const bool has_samples = taken.result.samples.count > 0 || !taken.more.empty();
    if (has_samples && samples == Samples::read && !log) log.emplace(samples_file(folder));
    const Hash128& hash = taken.result.block.block;
    const BlockIndex index = places.index_of.at(hash);
    const sweep::Block& block = planned.plan.blocks[index.value];
    const auto now = changed.find(hash);
    const ChangedArms& what = now == changed.end() ? ChangedArms() : now->second;
    const auto by_arm = samples_by_arm(has_samples && log ? &*log : nullptr, taken);
    if (block.leg)
      fill_leg(results, planned, index, taken, what);
    else if (block.is_intervention())
      fill_interventions(results, block, taken, by_arm);
    else
      fill_block(results, planned, index, taken, what, samples == Samples::read ? &by_arm : nullptr);
  }
  unify_result_units(results.trials);
  sort_legs(results.legs);
  fill_learned_metrics(results);
  sort_samples(results.samples);
  sort_intervention_samples(results.intervention_samples);
  add_failed_attempts(results, gathered.failed_attempts);
  const auto is_lost = [](const auto& row) { return std::holds_alternative<sweep::Lost>(row.outcome); };
  results.complete =
      std::ranges::none_of(results.trials, is_lost) && std::ranges::none_of(results.interventions, is_lost);
  return results;
}

}  // namespace regatta::results
