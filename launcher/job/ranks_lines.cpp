#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/topology.hpp"
#include "job/job.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

using sweep::Param;
using sweep::usual_shards;

bool names_shards(const std::vector<sweep::Axis>& axes) {
  return std::ranges::any_of(axes, [](const sweep::Axis& axis) { return axis.param == Param::shards; });
}

bool names_shards(const sweep::Sweep& sweep) {
  return names_shards(sweep.axes) ||
         std::ranges::any_of(sweep.includes, [](const auto& axes) { return names_shards(axes); }) ||
         std::ranges::any_of(sweep.whens, [](const sweep::When& when) { return names_shards(when.axes); });
}

}  // namespace

std::string ranks_line(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  std::map<std::int64_t, std::size_t> trials;  // by ranks
  for (const sweep::Trial& trial : plan.trials)
    if (!trial.skip_reason) ++trials[sweep::integer_or(trial.parameters, Param::ranks, 1)];
  const bool times_ranks = sweep.training && trials.size() > 1;
  trials.erase(1);
  if (trials.empty()) return {};
  std::string counts;
  for (const auto& [ranks, count] : trials)
    counts += fmt::format("{}{} trial{} of {}", counts.empty() ? "" : ", ", count, count == 1 ? "" : "s", ranks);
  return fmt::format(
             "ranks: {}; run with --ranks {}, or as many tasks of mpirun or srun: a trial of more ranks than the run "
             "has {}",
             counts, trials.rbegin()->first, sweep.training ? "waits for another run" : "is skipped") +
         (times_ranks ? ". Each number of ranks is trained: they differ in time, not in what is learned" : "");
}

std::string shards_line(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  if (names_shards(sweep)) return {};
  std::int64_t shards = 0;
  std::int64_t ranks = 1;
  for (const sweep::Trial& trial : plan.trials) {
    if (trial.skip_reason) continue;
    shards = std::max(shards, sweep::integer_or(trial.parameters, Param::shards, 0));
    ranks = std::max(ranks, sweep::integer_or(trial.parameters, Param::ranks, 1));
  }
  if (shards <= usual_shards) return {};
  const std::string why =
      ranks > usual_shards
          ? fmt::format(
                "for the {} ranks of the largest trials; where a run has too few agents for these, the others "
                "keep {} all the same",
                ranks, shards)
          : std::string("for more ranks that the sweep names, all of which are skipped");
  return fmt::format("shards: {} in every trial, of one rank too, {} (without ranks above {} there are {})", shards,
                     why, usual_shards, usual_shards);
}

std::string moments_line(const sweep::Plan& plan) {
  std::size_t whole = 0, apart = 0;
  for (const sweep::Trial& trial : plan.trials) {
    const auto* over = std::get_if<std::string>(&trial.parameters[Param::batch_statistics]);
    if (!trial.skip_reason && over != nullptr) ++(*over == "batch" ? whole : apart);
  }
  const auto counted = [](std::size_t count) { return fmt::format("{} trial{}", count, count == 1 ? "" : "s"); };
  std::string text;
  if (whole > 0) text += fmt::format("over the whole batch in {}", counted(whole));
  if (apart > 0)
    text += fmt::format("{}over each shard or rank's part by itself in {}", text.empty() ? "" : ", ", counted(apart));
  return text.empty() ? text : fmt::format("batch_norm takes its moments {} (batch_statistics)", text);
}

std::string program_cores_line(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  const bool names_threads =
      std::ranges::any_of(sweep.axes, [](const sweep::Axis& axis) { return axis.param == sweep::Param::threads; });
  if (names_threads || std::ranges::none_of(plan.trials, sweep::is_program, &sweep::Trial::parameters)) return {};
  const auto cores = cores_of_slot();
  if (cores < 2) return {};
  return fmt::format("a program may use 1 of the {} cores of a slot; an axis \"threads\": \"all\" gives it all of them",
                     cores);
}

}  // namespace regatta::launcher
