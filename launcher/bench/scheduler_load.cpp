#include <algorithm>
#include <queue>
#include <vector>

#include "bench/bench.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/random.hpp"
#include "regatta/schedule/scheduler.hpp"

namespace regatta::launcher {
namespace {

using namespace schedule;

constexpr std::uint32_t trials_per_block = 4;
constexpr std::uint32_t model_kinds = 20;
constexpr std::uint32_t agents_per_node = 8;
constexpr double end_seconds = 1e9;
constexpr std::uint64_t seed = 1;

std::uint64_t draw(std::uint64_t counter, std::uint64_t below) { return random_bits(seed, counter) % below; }

std::vector<BlockRequest> make_jobs(std::uint32_t blocks) {
  std::vector<BlockRequest> jobs;
  jobs.reserve(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    sweep::Demand demand;
    if (draw(3 * std::uint64_t{i}, 10) == 0) demand.ranks = static_cast<std::int64_t>(2 + draw(3 * i + 1, 7));
    const std::uint64_t kind = draw(3 * std::uint64_t{i} + 2, 3);
    if (kind == 1) demand.cores = 8;
    if (kind == 2) demand.device = sweep::DeviceKind::cuda;
    const Estimate estimate{static_cast<double>(1U << draw(7 * std::uint64_t{i}, 6)), 1, i % model_kinds};
    jobs.push_back({{i}, demand, trials_per_block, estimate});
  }
  return jobs;
}

/// Small CPU slots, large ones, and GPUs, in turn.
Slot make_slot(std::uint32_t agent) {
  const NodeIndex node{agent / agents_per_node};
  if (agent % 3 == 1) return {{agent}, 8, {sweep::DeviceKind::cpu}, node};
  if (agent % 3 == 2) return {{agent}, 1, {sweep::DeviceKind::cuda}, node};
  return {{agent}, 1, {sweep::DeviceKind::cpu}, node};
}

/// Agents that finish what they were granted when it is over.
class Simulation {
 public:
  Simulation(std::uint32_t agents, std::uint32_t trials)
      : blocks_(trials / trials_per_block),
        jobs_(make_jobs(blocks_)),
        free_at_(agents),
        scheduler_(jobs_, {.expected_agents = agents, .longest_first = true, .end_seconds = end_seconds}) {
    measured_.agents = agents;
    measured_.trials = trials;
  }

  SchedulerLoad run() {
    for (std::uint32_t agent = 0; agent < measured_.agents; ++agent) tell(AgentJoined{make_slot(agent)});
    bool drained = false;
    for (std::uint64_t step = 0; !ends_.empty(); ++step) {
      const End end = ends_.top();
      ends_.pop();
      now_ = end.seconds;
      report(end.done, draw(step, 50) == 0);
      if (drained || scheduler_.concluded() <= blocks_ / 100 * 98) continue;
      drained = true;
      tell(DrainRequested{});
    }
    return measured_;
  }

 private:
  struct End {
    double seconds;
    BlockDone done;
    bool operator<(const End& other) const { return seconds > other.seconds; }
  };

  void report(const BlockDone& done, bool dies) {
    const ArmIndex arm{done.attempt.value % trials_per_block};
    if (dies) return tell(AttemptFailed{done.agent, done.block, done.attempt, arm, {sweep::FailureKind::crashed, "9"}});
    tell(done);
  }

  void tell(const Event& event) {
    const double start = steady_seconds();
    const std::vector<Action> actions = scheduler_.on(event, now_);
    measured_.seconds += steady_seconds() - start;
    for (const Action& action : actions) {
      ++measured_.decisions;
      if (const auto* grant = std::get_if<Grant>(&action)) run(*grant);
    }
  }

  void run(const Grant& grant) {
    const Estimate& estimate = jobs_[grant.first.value].estimate;
    const double off = 0.5 + 0.1 * estimate.alike + 0.01 * static_cast<double>(draw(grant.first.value, 40));
    double begin = now_;
    for (const AgentId agent : grant.agents) begin = std::max(begin, free_at_[agent.value]);
    const double end = begin + estimate.seconds * off;
    for (const AgentId agent : grant.agents) free_at_[agent.value] = end;
    ends_.push({end, {grant.agents.front(), grant.first, grant.attempt, end - begin}});
  }

  std::uint32_t blocks_;
  std::vector<BlockRequest> jobs_;
  std::vector<double> free_at_;
  Scheduler scheduler_;
  std::priority_queue<End> ends_;
  double now_ = 0;
  SchedulerLoad measured_;
};

}  // namespace

SchedulerLoad schedule_all(std::uint32_t agents, std::uint32_t trials) { return Simulation(agents, trials).run(); }

}  // namespace regatta::launcher
