#include "simulation/workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/host.hpp"
#include "regatta/base/random.hpp"
#include "regatta/results/machine_json.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::scale {
namespace {

constexpr std::uint32_t samples_per_arm = 4;

// Four arms are two things with two values each.
constexpr const char* comparisons = R"({{"regatta": 1, "name": "scale",
  "axes": {{"model": ["mlp-10"], "mode": ["eager", "graph"], "threads": [1, 2]}}, "repeats": {},
  "compare": {{"over": ["mode", "threads"], "baseline": {{"mode": "graph", "threads": 1}}}},
  "measure": {{"again": false}}}})";
constexpr const char* singles = R"({{"regatta": 1, "name": "scale", "axes": {{"model": ["noop"]}}, "repeats": {},
  "measure": {{"slices": 1, "steps": 1}}}})";

/// Chances of one block: independent of the order in which blocks are run.
class Chances {
 public:
  Chances(std::uint64_t seed, std::uint64_t block, std::uint64_t attempt)
      : seed_(random_bits(seed, (block << 8U) + attempt)) {}
  std::uint64_t below(std::uint64_t bound) { return random_bits(seed_, ++drawn_) % bound; }
  double real() { return static_cast<double>(random_bits(seed_, ++drawn_) >> 11U) * 0x1.0p-53; }
  bool chance(double probability) { return real() < probability; }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

}  // namespace

launcher::Job make_job(const Mix& mix, std::uint64_t seed) {
  launcher::Job job;
  const std::string text = mix.arms == 1 ? fmt::format(singles, mix.trials) : fmt::format(comparisons, mix.trials / 4);
  job.sweep = sweep::parse_sweep(text, "scale.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  for (sweep::Block& block : job.plan.blocks) {
    Chances chances(seed, block.index.value, 0);
    block.demand = {};
    if (chances.chance(mix.groups)) block.demand.ranks = static_cast<std::int64_t>(2 + chances.below(7));
    const std::uint64_t kind = mix.kinds ? chances.below(3) : 0;
    if (kind == 1) block.demand.cores = 8;
    if (kind == 2) block.demand.device = sweep::DeviceKind::cuda;
  }
  return job;
}

protocol::AgentReady ready_of(std::uint32_t agent, const Mix& mix) {
  static const std::string host = results::to_json(launcher::read_host());
  protocol::AgentReady ready{host, {{0}, {}}, {}};
  const std::uint32_t kind = mix.kinds ? agent % 3 : 0;
  if (kind == 1) ready.slot.cores = {0, 1, 2, 3, 4, 5, 6, 7};
  if (kind == 2) ready.slot.device = {sweep::DeviceKind::cuda, "a GPU", fmt::format("GPU-{}", agent)};
  return ready;
}

Attempt attempt_of(const Mix& mix, std::uint64_t seed, const sweep::BlockTask& task) {
  Chances chances(seed, task.block.value, task.attempt.value);
  Attempt attempt;
  for (std::size_t arm = 0; arm < task.arms.size(); ++arm) {
    const double factor = 1 - mix.spread + 2 * mix.spread * chances.real();
    attempt.seconds += mix.trial_seconds * factor * (chances.chance(mix.stragglers) ? 10 : 1);
  }
  const bool dies = chances.chance(mix.deaths);
  attempt.arm.value = static_cast<std::uint32_t>(chances.below(task.arms.size()));
  attempt.dies = dies && std::ranges::none_of(task.dropped, [&](const auto& drop) { return drop.arm == attempt.arm; });
  if (attempt.dies) attempt.seconds *= chances.real();
  return attempt;
}

protocol::AgentReply reply_of(const sweep::BlockTask& task, const Attempt& attempt, double start_seconds) {
  if (attempt.dies) {
    return protocol::AttemptFailed{task.block, task.attempt, attempt.arm, sweep::FailureKind::crashed,
                                   "killed by signal 11"};
  }
  protocol::BlockResult result;
  result.block = task.block;
  result.attempt = task.attempt;
  result.start_wall_seconds = first_wall_seconds + start_seconds;
  result.end_wall_seconds = result.start_wall_seconds + attempt.seconds;
  for (std::uint32_t arm = 0; arm < task.arms.size(); ++arm) {
    result.arms.emplace_back().arm = {arm};
    result.arms.back().outcome = sweep::Finished{};
    for (std::uint32_t i = 0; i < samples_per_arm; ++i)
      result.samples.push_back({.slice = i, .arm = static_cast<std::uint16_t>(arm), .seconds = attempt.seconds});
  }
  for (const sweep::DroppedArm& drop : task.dropped)
    result.arms[drop.arm.value].outcome = sweep::Failed{drop.kind, drop.message};
  return result;
}

}  // namespace regatta::scale
