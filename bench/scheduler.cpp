// Decisions a second of the scheduler alone: simulated agents of three kinds, trials in blocks of 4, a tenth
// of them for groups of 2 to 8 ranks, 2 % unexplained deaths, and a drain near the end.
#include "regatta/schedule/scheduler.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "regatta/base/clock.hpp"
#include "regatta/base/random.hpp"

namespace {

using namespace regatta;
using namespace regatta::schedule;

constexpr std::uint32_t trials_per_block = 4;
constexpr std::uint64_t seed = 1;

struct Measured {
  std::uint32_t agents = 0;
  std::uint32_t trials = 0;
  std::uint64_t decisions = 0;  ///< grants, conclusions and dismissals
  double seconds = 0;           ///< in the scheduler and in the simulation around it
};

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
    jobs.push_back({{i}, demand, trials_per_block});
  }
  return jobs;
}

/// Small CPU slots, large ones, and GPUs, in turn.
Slot make_slot(std::uint32_t agent) {
  if (agent % 3 == 1) return {{agent}, 8, {sweep::DeviceKind::cpu}};
  if (agent % 3 == 2) return {{agent}, 1, {sweep::DeviceKind::cuda}};
  return {{agent}, 1, {sweep::DeviceKind::cpu}};
}

/// Agents that finish what they were granted in the order it was granted to anyone.
class Simulation {
 public:
  Simulation(std::uint32_t agents, std::uint32_t trials)
      : blocks_(trials / trials_per_block),
        scheduler_(make_jobs(blocks_), {.attempts = 3, .batch = 1, .outstanding = 1, .expected_agents = agents}) {
    measured_.agents = agents;
    measured_.trials = trials;
  }

  Measured run() {
    const double start = steady_seconds();
    for (std::uint32_t agent = 0; agent < measured_.agents; ++agent) tell(AgentJoined{make_slot(agent)});
    bool drained = false;
    for (std::uint64_t step = 0; !reports_.empty(); ++step) {
      const BlockDone report = reports_.front();
      reports_.pop_front();
      if (draw(step, 50) == 0) {
        const ArmIndex arm{report.attempt.value % trials_per_block};
        tell(
            AttemptFailed{report.agent, report.block, report.attempt, arm, {sweep::FailureKind::crashed, "signal 11"}});
      } else {
        tell(report);
      }
      if (!drained && scheduler_.concluded() > blocks_ / 100 * 98) {
        drained = true;
        tell(DrainRequested{});
      }
    }
    measured_.seconds = steady_seconds() - start;
    return measured_;
  }

 private:
  void tell(const Event& event) {
    for (const Action& action : scheduler_.on(event)) {
      ++measured_.decisions;
      if (const auto* grant = std::get_if<Grant>(&action)) {
        reports_.push_back({grant->agents.front(), grant->first, grant->attempt});
      }
    }
  }

  std::uint32_t blocks_;
  Scheduler scheduler_;
  std::deque<BlockDone> reports_;
  Measured measured_;
};

void print(const Measured& measured, bool json) {
  const double rate = static_cast<double>(measured.decisions) / measured.seconds;
  constexpr const char* line = "{:>7} {:>9} {:>10} {:>12.0f}/s {:>8.2f} us\n";
  constexpr const char* object =
      R"({{"agents": {}, "trials": {}, "decisions": {}, "scheduler_decisions_per_second": {:.0f}}})";
  if (json) {
    fmt::print("{}\n", fmt::format(object, measured.agents, measured.trials, measured.decisions, rate));
  } else {
    fmt::print(line, measured.agents, measured.trials, measured.decisions, rate, 1e6 / rate);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  if (!json) fmt::print("{:>7} {:>9} {:>10} {:>14} {:>11}\n", "agents", "trials", "decisions", "", "each");
  for (const std::uint32_t agents : {64U, 512U, 4096U}) {
    for (const std::uint32_t trials : {100'000U, 1'000'000U}) print(Simulation(agents, trials).run(), json);
  }
}
