#include "regatta/sweep/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/engines.hpp"

namespace regatta::sweep {
namespace {

/// The parameters that a process is started with, or keeps for all that is built in it. Seeds and repeats are there to
/// be independent.
constexpr std::array process_parameters = {Param::deterministic, Param::device,    Param::engine, Param::memory,
                                           Param::mode,          Param::precision, Param::ranks,  Param::repeat,
                                           Param::seed,          Param::threads};

using Processes = std::vector<std::array<Value, process_parameters.size()>>;  ///< by arm

/// The key that blocks of one tour have in common.
struct Key {
  std::tuple<std::int64_t, std::int64_t, std::int64_t> demand;
  Processes processes;
  auto operator<=>(const Key&) const = default;
};

/// Whether its comparisons go on pair by pair until they are decided, and its processes may serve other blocks, too.
bool goes_in_tours(const Sweep& sweep, const Plan& plan, const Block& block) {
  if (!block.has_baseline || block.has_clone || block.is_intervention() || block.leg || block.demand.ranks > 1)
    return false;
  if (block.demand.device != DeviceKind::cpu) return false;  // it is looked at between blocks
  if (sweep.measure.slices || is_of_processes(sweep.measure.metric)) return false;
  return std::ranges::none_of(block.arms,
                              [&](TrialIndex arm) { return is_program(plan.trials[arm.value].parameters); });
}

Key key_of(const Plan& plan, const TourCandidate& candidate) {
  Processes processes;
  for (const TrialIndex arm : plan.blocks.at(candidate.block.value).arms) {
    const Parameters& parameters = plan.trials[arm.value].parameters;
    auto& of_arm = processes.emplace_back();
    for (std::size_t i = 0; i < process_parameters.size(); ++i) of_arm[i] = parameters[process_parameters[i]];
  }
  return {{candidate.cores, candidate.least_cores, candidate.least_ranks}, std::move(processes)};
}

/// Whether the arms of one block need the first of the processes that the other's need.
bool begins(const Key& fewer, const Key& more) {
  const Processes& all = more.processes;
  const std::size_t first = fewer.processes.size();
  return fewer.demand == more.demand && first <= all.size() &&
         std::ranges::equal(fewer.processes, std::span(all).first(first));
}

/// Places in `blocks` by tour. Blocks that lack the last arms of others go with them: they stand before them.
std::vector<std::vector<std::size_t>> grouped(std::map<Key, std::vector<std::size_t>> by_key) {
  std::vector<std::vector<std::size_t>> groups;
  const Key* last = nullptr;
  for (auto& [key, blocks] : by_key) {
    if (last == nullptr || !begins(*last, key)) groups.emplace_back();
    groups.back().insert(groups.back().end(), blocks.begin(), blocks.end());
    last = &key;
  }
  for (std::vector<std::size_t>& group : groups) std::ranges::sort(group);
  return groups;
}

std::size_t rounded_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

std::string process_class(const Parameters& parameters) {
  const auto text = [&](const Param& param) {
    const auto* level = std::get_if<std::string>(&parameters[param]);
    return level == nullptr ? std::string_view() : std::string_view(*level);
  };
  return fmt::format("{} {} {}, {} threads, {} ranks", split_engine(text(Param::engine)).engine, text(Param::mode),
                     text(Param::device), integer_or(parameters, Param::threads, 1),
                     integer_or(parameters, Param::ranks, 1));
}

std::vector<std::uint32_t> number_tours(const Sweep& sweep, const Plan& plan, std::span<const TourCandidate> candidates,
                                        std::uint32_t agents) {
  std::map<Key, std::vector<std::size_t>> by_key;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    if (goes_in_tours(sweep, plan, plan.blocks.at(candidates[at].block.value)))
      by_key[key_of(plan, candidates[at])].push_back(at);
  }
  const std::vector<std::vector<std::size_t>> groups = grouped(std::move(by_key));
  std::vector<std::uint32_t> numbers(candidates.size());
  std::uint32_t tours = 0;
  for (const std::vector<std::size_t>& group : groups) {
    const std::size_t of_agents = rounded_up(agents, groups.size());
    const std::size_t parts = std::max(std::min(of_agents, group.size()), rounded_up(group.size(), most_in_tour));
    for (std::size_t i = 0; i < group.size(); ++i)
      if (parts < group.size()) numbers[group[i]] = tours + static_cast<std::uint32_t>(i % parts) + 1;
    tours += static_cast<std::uint32_t>(parts);
  }
  return numbers;
}

std::vector<SharedProcesses> shared_processes(const Sweep& sweep, const Plan& plan, std::uint32_t agents) {
  std::vector<TourCandidate> candidates;
  for (const Block& block : plan.blocks) candidates.push_back({block.index, block.demand.cores});
  const std::vector<std::uint32_t> tours = number_tours(sweep, plan, candidates, agents);
  std::map<std::uint32_t, std::size_t> blocks;
  for (const std::uint32_t tour : tours) ++blocks[tour];
  std::vector<SharedProcesses> shared;
  for (const std::uint32_t tour : tours) shared.push_back({tour, tour == 0 ? 1 : blocks[tour]});
  return shared;
}

}  // namespace regatta::sweep
