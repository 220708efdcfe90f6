#include "commands/trial_differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

using results::Results;
using results::TrialRow;

template <class Item>
Item item_at(const std::vector<Item>& items, std::int32_t position) {
  const auto index = static_cast<std::size_t>(position);
  return position >= 0 && index < items.size() ? items[index] : Item{};
}

class Differences {
 public:
  void add(const std::string& what, const std::string& then, const std::string& now) {
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("not known") : text; };
    if (then != now) found_.push_back({what, shown(then), shown(now)});
  }
  void add(const std::string& what, std::int64_t then, std::int64_t now) {
    add(what, std::to_string(then), std::to_string(now));
  }
  std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

void compare_places(Differences& differences, const Results& then, const TrialRow& a, const Results& now,
                    const TrialRow& b) {
  const results::Host host_a = item_at(then.hosts, a.host);
  const results::Host host_b = item_at(now.hosts, b.host);
  differences.add("host", host_a.name, host_b.name);
  differences.add("processor", host_a.cpu_model, host_b.cpu_model);
  differences.add("cores of the host", host_a.cores, host_b.cores);
  differences.add("memory", format_size(static_cast<std::uint64_t>(host_a.memory_bytes)),
                  format_size(static_cast<std::uint64_t>(host_b.memory_bytes)));
  differences.add("kernel", host_a.kernel, host_b.kernel);
  differences.add("frequency governor", host_a.governor, host_b.governor);
  const results::SlotRow slot_a = item_at(then.devices, a.device);
  const results::SlotRow slot_b = item_at(now.devices, b.device);
  differences.add("slot", slot_a.kind + " " + slot_a.name, slot_b.kind + " " + slot_b.name);
  const auto flags = [](stats::Flags set) { return set.any() ? stats::text_of(set) : std::string("none"); };
  differences.add("flags of the slot", flags(slot_a.flags), flags(slot_b.flags));
  const results::Env env_a = item_at(then.envs, a.env);
  const results::Env env_b = item_at(now.envs, b.env);
  differences.add("environment", env_a.name, env_b.name);
  if (env_a.engine == env_b.engine) differences.add("version of " + env_b.engine, env_a.version, env_b.version);
}

void compare_provenance(Differences& differences, const results::Provenance& then, const results::Provenance& now) {
  differences.add("regatta", then.regatta_version, now.regatta_version);
  differences.add("git commit", then.git_commit, now.git_commit);
  std::set<std::string> components;
  for (const auto* versions : {&then.versions, &now.versions}) {
    for (const auto& [component, version] : *versions) components.insert(component);
  }
  const auto version_in = [](const results::Provenance& provenance, const std::string& component) {
    const auto found = provenance.versions.find(component);
    return found == provenance.versions.end() ? std::string() : found->second;
  };
  for (const std::string& component : components)
    differences.add(component, version_in(then, component), version_in(now, component));
}

/// The company of the trial: arms take turns on a slot, and each leaves the caches as it needs them.
std::string company(const Results& results, TrialIndex trial) {
  const TrialRow& row = results.trials[trial.value];
  for (const results::BlockRow& block : results.blocks) {
    const bool is_its =
        block.start_wall_seconds == row.start_wall_seconds && std::ranges::find(block.arms, trial) != block.arms.end();
    if (!is_its || block.arms.size() < 2) continue;
    return fmt::format("in turns with {} other{}", block.arms.size() - 1, block.arms.size() == 2 ? "" : "s");
  }
  return "alone";
}

/// The disturbances while the trial was measured, such as another run on the same cores.
std::string disturbed_by(const Results& results, TrialIndex trial) {
  stats::Flags flags;
  for (const results::BlockRow& block : results.blocks) {
    if (std::ranges::find(block.arms, trial) != block.arms.end()) flags.add(block.flags);
  }
  return flags.any() ? stats::text_of(flags, ", ") : "nothing that was seen";
}

std::vector<MetricPair> metrics_of(const TrialRow& then, const TrialRow& now) {
  std::vector<MetricPair> pairs;
  const auto value_in = [](const TrialRow& row, const std::string& name) {
    const auto found = row.metrics.find(name);
    return found == row.metrics.end() ? std::nullopt : std::optional(found->second);
  };
  for (const char* name : {"step_time", "step_time_mean", "latency_p95", "samples_per_second", "cold_start",
                           "warm_start", "start_time", "prepare_time", "first_step", "peak_memory"}) {
    MetricPair pair{name, value_in(then, name), value_in(now, name)};
    if (pair.then || pair.now) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

ThenAndNow then_and_now(const Results& then, TrialIndex trial, const Results& now) {
  const TrialRow& a = then.trials[trial.value];
  const TrialRow& b = now.trials.front();
  Differences differences;
  compare_places(differences, then, a, now, b);
  compare_provenance(differences, then.provenance, now.provenance);
  differences.add("measured", company(then, trial), company(now, {}));
  differences.add("disturbed by", disturbed_by(then, trial), disturbed_by(now, {}));
  return {metrics_of(a, b), differences.take()};
}

}  // namespace regatta::launcher
