#include "simulation/simulate.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "simulation/agents.hpp"
#include "simulation/rank_zero.hpp"

namespace regatta::scale {
namespace {

constexpr double drained_at = 0.98;  // a share of the blocks
constexpr double signal_seconds = 0.01;

class Run {
 public:
  Run(const Setup& setup, const launcher::Job& job)
      : world_(setup, job),
        agents_(world_, gangs_,
                {[this](AgentId from, protocol::Frame frame) { rank_zero_.arrive(from, std::move(frame)); },
                 [this](double end_seconds) { rank_zero_.in_gang(end_seconds); }}),
        rank_zero_(world_, gangs_,
                   {[this](AgentId to, protocol::Frame frame) { agents_.arrive(to, std::move(frame)); },
                    [this](const std::vector<AgentId>& members, const sweep::BlockTask& task) {
                      agents_.gang_begins(members, task);
                    },
                    [this](std::size_t done) { blocks_done(done); }}) {}

  Found run() {
    rank_zero_.start();
    agents_.join();
    while (!rank_zero_.left() || !agents_.all_left()) {
      if (world_.time.is_quiet()) throw std::runtime_error("nothing happens any more, and the run is not over");
      world_.time.run_next();
    }
    return told();
  }

 private:
  void blocks_done(std::size_t done) {
    const auto all = static_cast<double>(world_.job.plan.blocks.size());
    const auto so_far = static_cast<double>(done);
    const Mix& mix = world_.setup.mix;
    let_leave(so_far / all);
    if (window_ || so_far < all * (mix.drain ? drained_at : 1)) return;
    window_ = world_.time.now();
    world_.found.trials_in_window = done * mix.arms;
    world_.worked.end(*window_);
    rank_zero_.tell(world_.found);
    in_window_ = world_.found;
    if (mix.drain) drain();
  }

  /// Some agents drain alone, one after the other.
  void let_leave(double done_share) {
    const Machine& machine = world_.setup.machine;
    const auto leavers = static_cast<std::uint32_t>(world_.setup.mix.leavers * machine.agents);
    while (left_alone_ < leavers && done_share * (leavers + 1) > left_alone_ + 1) {
      agents_.signal(machine.agents - 1 - left_alone_);
      ++left_alone_;
    }
  }

  /// The signal reaches every rank, in any order.
  void drain() {
    world_.time.after(world_.random.between(0, signal_seconds), [this] { rank_zero_.signal(); });
    for (std::uint32_t agent = 1; agent < world_.setup.machine.agents; ++agent)
      world_.time.after(world_.random.between(0, signal_seconds), [this, agent] { agents_.signal(agent); });
  }

  Found told() {
    if (!window_) rank_zero_.tell(world_.found);
    Found found = window_ ? in_window_ : world_.found;
    found.failed_attempts = world_.found.failed_attempts;
    found.gangs = world_.found.gangs;
    found.gang_waits = world_.found.gang_waits;
    found.gang_waits.p50_seconds = 1e-3 * static_cast<double>(world_.gang_waits.quantile(0.5));
    found.gang_waits.p99_seconds = 1e-3 * static_cast<double>(world_.gang_waits.quantile(0.99));
    found.returned = world_.found.returned;
    found.recorded_twice = world_.found.recorded_twice;
    const double agents = world_.setup.machine.agents;
    found.whole_seconds = world_.time.now();
    found.window_seconds = window_.value_or(found.whole_seconds);
    found.ideal_seconds = world_.worked.seconds() / agents;
    found.idle_share = 1 - found.ideal_seconds / found.window_seconds;
    found.busy_share = found.cpu_seconds / found.window_seconds;
    found.sync_share /= found.window_seconds;
    found.blocks = world_.job.plan.blocks.size();
    found.recorded = rank_zero_.recorded();
    return found;
  }

  World world_;
  Gangs gangs_;
  Agents agents_;
  RankZero rank_zero_;
  std::optional<double> window_;
  Found in_window_;
  std::uint32_t left_alone_ = 0;
};

}  // namespace

Found simulate(const Setup& setup, const launcher::Job& job) { return Run(setup, job).run(); }

}  // namespace regatta::scale
