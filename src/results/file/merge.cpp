#include "regatta/results/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/results/parameters_of.hpp"
#include "regatta/results/told_results.hpp"
#include "results/collect/collect.hpp"
#include "results/rows/row_tables.hpp"

namespace regatta::results {
namespace {

using nlohmann::json;

/// The rules of a sweep for judging its results. A text that this version cannot read gives none.
json rules_of(const std::string& sweep_json) {
  constexpr int deepest = 64;  // values below are left out: a damaged file may nest too deep to be copied
  const auto is_near = [](int depth, json::parse_event_t, const json&) { return depth <= deepest; };
  const json sweep = json::parse(sweep_json, is_near, false);
  if (!sweep.is_object()) return nullptr;
  const json measure = sweep.contains("measure") && sweep["measure"].is_object() ? sweep["measure"] : json::object();
  return {{"compare", sweep.value("compare", json())},
          {"measure.margin", measure.value("margin", json())},
          {"measure.metric", measure.value("metric", json())}};
}

void expect_same_rules(const MergeInput& first, const MergeInput& other) {
  if (first.results.name != other.results.name) {
    throw InputError(
        fmt::format("'{}' holds the sweep '{}', '{}' the sweep '{}' (trials of different sweeps do not belong in one "
                    "table); merge files of one sweep",
                    first.file, first.results.name, other.file, other.results.name));
  }
  const json a = rules_of(first.results.provenance.sweep_json);
  const json b = rules_of(other.results.provenance.sweep_json);
  for (const auto& [key, value] : a.items()) {
    if (b.is_object() && b.at(key) == value) continue;
    throw InputError(
        fmt::format("'{}' and '{}' were run with different `{}` (their comparisons would be judged by the wrong "
                    "rules); merge files of one sweep",
                    first.file, other.file, key));
  }
}

/// 2 a result, 1 a reason why there is none, 0 nothing.
int weight_of(const sweep::Outcome& outcome) {
  if (std::holds_alternative<sweep::Lost>(outcome)) return 0;
  return std::holds_alternative<sweep::Skipped>(outcome) ? 1 : 2;
}

bool same_result(const TrialRow& a, const TrialRow& b) {
  return a.metrics == b.metrics && sweep::reason_of(a.outcome) == sweep::reason_of(b.outcome) &&
         std::tie(a.start_wall_seconds, a.end_wall_seconds) == std::tie(b.start_wall_seconds, b.end_wall_seconds);
}

std::string result_text(const TrialRow& row) {
  const auto mean = row.metrics.find("step_time_mean");
  const bool timed = std::holds_alternative<sweep::Finished>(row.outcome) && mean != row.metrics.end();
  return timed ? fmt::format("step_time_mean {:.4g} s", mean->second) : sweep::status_of(row.outcome);
}

/// "engine native, batch 32": the axes that it reads.
std::string description(const Results& results, const TrialRow& row) {
  std::string text;
  for (const sweep::Param& param : axes_of_sweep(results)) {
    const sweep::Value& value = row.parameters[param];
    if (std::holds_alternative<std::monostate>(value)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sweep::name_of(param), sweep::to_text(value));
  }
  return text;
}

/// Where an input's rows stand in the merged results.
struct Places {
  std::vector<std::int32_t> hosts, devices, envs, sources;
  std::vector<TrialIndex> trials;
  std::vector<std::optional<BlockIndex>> blocks;  ///< nothing: the block's results are another input's
};

std::int32_t placed(const std::vector<std::int32_t>& places, std::int32_t old) {
  return old < 0 ? -1 : places[static_cast<std::size_t>(old)];
}

/// The input that has measured each block of interventions: the first that has, else the first that names it.
std::unordered_map<Hash128, const MergeInput*> intervention_owners(const std::vector<MergeInput>& inputs) {
  std::unordered_map<Hash128, const MergeInput*> owners;
  for (const bool measured : {true, false}) {
    for (const MergeInput& input : inputs) {
      for (const InterventionRow& row : input.results.interventions) {
        if ((row.attempt > 0) == measured) owners.try_emplace(row.block, &input);
      }
    }
  }
  return owners;
}

class Merger {
 public:
  explicit Merger(const std::vector<MergeInput>& inputs) : intervention_owners_(intervention_owners(inputs)) {
    merged_.name = inputs.front().results.name;
    merged_.provenance = inputs.front().results.provenance;
  }

  void add(const MergeInput& input) {
    inputs_.push_back(&input);
    from_.push_back({input.file});
    Places places;
    add_tables(input, places);
    add_trials(input, places);
    add_blocks(input, places);
    add_samples(input, places);
    add_interventions(input, places);
    add_legs(input, places);
    add_sessions(input, places);
  }

  Merged finish() {
    unify_own_axes(merged_);
    sort_samples(merged_.samples);
    sort_legs(merged_.legs);
    const auto is_lost = [](const auto& row) { return std::holds_alternative<sweep::Lost>(row.outcome); };
    merged_.complete =
        std::ranges::none_of(merged_.trials, is_lost) && std::ranges::none_of(merged_.interventions, is_lost);
    return {std::move(merged_), std::move(from_)};
  }

 private:
  /// "'a.h5' and 'b.h5'": all that are added, of which `input` is the last.
  [[nodiscard]] std::string files_with(const MergeInput& input) const {
    std::string files;
    for (const MergeInput* const each : inputs_) {
      const char* const before = files.empty() ? "" : each == &input ? " and " : ", ";
      files += fmt::format("{}'{}'", before, each->file);
    }
    return files;
  }

  void add_tables(const MergeInput& input, Places& places) {
    const Results& other = input.results;
    for (const std::string& axis : other.axis_names) {
      if (std::ranges::find(merged_.axis_names, axis) == merged_.axis_names.end()) merged_.axis_names.push_back(axis);
    }
    for (const Host& host : other.hosts) places.hosts.push_back(position_of(merged_.hosts, host, same_host));
    for (SlotRow device : other.devices) {
      device.host = placed(places.hosts, device.host);
      places.devices.push_back(position_of(merged_.devices, device, same_slot));
      Calibration& held = merged_.devices[static_cast<std::size_t>(places.devices.back())].calibration;
      if (held.threads == 0) held = device.calibration;
    }
    for (const Env& env : other.envs) places.envs.push_back(position_of(merged_.envs, env, same_env));
    add_sources(input, places);
    for (const auto& [component, version] : other.provenance.versions)
      merged_.provenance.versions.emplace(component, version);
    if (other.provenance.spreads != merged_.provenance.spreads) merged_.provenance.spreads = {};
    merged_.other_blocks += other.other_blocks;
    merged_.openings.passes += other.openings.passes;
    merged_.openings.unread += other.openings.unread;
  }

  /// A file that was merged itself passes on where its rows came from; the last place is for its own.
  void add_sources(const MergeInput& input, Places& places) {
    const auto append = [&](const Source& source) {
      places.sources.push_back(static_cast<std::int32_t>(merged_.sources.size()));
      merged_.sources.push_back(source);
    };
    for (const Source& source : input.results.sources) append(source);
    const Provenance& origin = input.results.provenance;
    if (input.results.sources.empty())
      append({input.file, origin.created, origin.command_line, origin.regatta_version, origin.git_commit});
  }

  void add_trials(const MergeInput& input, Places& places) {
    const std::string files = files_with(input);
    note_units(units_, input.results.trials);
    for (TrialRow row : input.results.trials) {
      convert_results(row, units_, files);
      const auto [entry, fresh] = trials_.try_emplace(row.hash, merged_.trials.size());
      places.trials.push_back({static_cast<std::uint32_t>(entry->second)});
      if (fresh) {
        merged_.trials.emplace_back();
        owners_.push_back(inputs_.size() - 1);
      }
      if (fresh || gives_way(merged_.trials[entry->second], row, owners_[entry->second]))
        take(std::move(row), entry->second, places);
    }
  }

  void take(TrialRow taken, std::size_t place, const Places& places) {
    taken.env = placed(places.envs, taken.env);
    taken.host = placed(places.hosts, taken.host);
    taken.device = placed(places.devices, taken.device);
    taken.source = taken.source < 0 ? places.sources.back() : placed(places.sources, taken.source);
    merged_.trials[place] = std::move(taken);
    owners_[place] = inputs_.size() - 1;
    ++from_.back().trials;
  }

  /// Whether the row that is held is replaced by one of the input that is being added.
  bool gives_way(const TrialRow& held, const TrialRow& row, std::size_t owner) {
    const int held_weight = weight_of(held.outcome);
    const int weight = weight_of(row.outcome);
    if (weight > held_weight) {
      --from_[owner].trials;
      ++from_[owner].open;
      return true;
    }
    if (weight < held_weight) {
      ++from_.back().open;
    } else if (weight < 2 || same_result(held, row)) {
      ++from_.back().repeated;
    } else {
      refuse(held, row, owner);
    }
    return false;
  }

  [[noreturn]] void refuse(const TrialRow& held, const TrialRow& row, std::size_t owner) const {
    const std::string& first = inputs_[owner]->file;
    const std::string& second = inputs_.back()->file;
    throw InputError(
        fmt::format("trial {} ({}) has different results in '{}' ({}) and '{}' ({}), and a file holds each trial once. "
                    "Compare the two with `regatta compare {} {}`, or merge files of different trials",
                    to_string(row.hash), description(merged_, row), first, result_text(held), second, result_text(row),
                    first, second));
  }

  void add_blocks(const MergeInput& input, Places& places) {
    for (const BlockRow& block : input.results.blocks) {
      const auto [entry, fresh] = blocks_.try_emplace(block.hash, merged_.blocks.size());
      const bool better = !fresh && merged_.blocks[entry->second].attempt == 0 && block.attempt > 0;
      places.blocks.emplace_back();
      if (!fresh && !better) continue;
      BlockRow taken = block;
      for (TrialIndex& arm : taken.arms) arm = places.trials[arm.value];
      if (fresh) merged_.blocks.emplace_back();
      merged_.blocks[entry->second] = std::move(taken);
      places.blocks.back() = BlockIndex{static_cast<std::uint32_t>(entry->second)};
    }
  }

  void add_samples(const MergeInput& input, const Places& places) {
    for (const SampleRow& row : input.results.samples) {
      const auto block = places.blocks[row.block.value];
      if (block) merged_.samples.push_back({places.trials[row.trial.value], *block, row.sample});
    }
    for (AttemptRow row : input.results.failed_attempts) {
      const auto block = places.blocks[row.block.value];
      if (!block) continue;
      row.block = *block;
      row.trial = places.trials[row.trial.value];
      merged_.failed_attempts.push_back(std::move(row));
    }
  }

  /// The rows of a block stand together: all of them are taken, or none.
  void add_interventions(const MergeInput& input, const Places& places) {
    std::vector<std::optional<std::uint32_t>> rows;
    for (const InterventionRow& row : input.results.interventions) {
      rows.emplace_back();
      if (intervention_owners_.at(row.block) != &input) continue;
      rows.back() = static_cast<std::uint32_t>(merged_.interventions.size());
      merged_.interventions.push_back(row);
      merged_.interventions.back().trial = places.trials[row.trial.value];
    }
    for (const InterventionSampleRow& sample : input.results.intervention_samples) {
      if (rows[sample.row]) merged_.intervention_samples.push_back({*rows[sample.row], sample.sample});
    }
  }

  /// A leg that several inputs have is the first one's.
  void add_legs(const MergeInput& input, const Places& places) {
    for (LegRow row : input.results.legs) {
      if (!legs_.insert(row.block).second) continue;
      row.trial = places.trials[row.trial.value];
      row.device = placed(places.devices, row.device);
      merged_.legs.push_back(std::move(row));
    }
  }

  void add_sessions(const MergeInput& input, const Places& places) {
    for (SessionRow row : input.results.sessions) {
      row.source = row.source < 0 ? places.sources.back() : placed(places.sources, row.source);
      merged_.sessions.push_back(std::move(row));
    }
  }

  Results merged_;
  ResultUnits units_;  ///< by the files that were added so far
  std::set<Hash128> legs_;
  std::vector<MergedFrom> from_;
  std::vector<const MergeInput*> inputs_;
  std::vector<std::size_t> owners_;  ///< for each merged trial, the input that it was taken from
  std::unordered_map<Hash128, std::size_t> trials_, blocks_;
  std::unordered_map<Hash128, const MergeInput*> intervention_owners_;
};

}  // namespace

Merged merge(const std::vector<MergeInput>& inputs) {
  expect(!inputs.empty(), "a merge has inputs");
  for (const MergeInput& input : inputs) expect_same_rules(inputs.front(), input);
  Merger merger(inputs);
  for (const MergeInput& input : inputs) merger.add(input);
  return merger.finish();
}

}  // namespace regatta::results
