#include "link/sleeping_sweep.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "os/scratch_folder.hpp"
#include "os/wait.hpp"
#include "ranks/agent_mail.hpp"
#include "ranks/message_router.hpp"
#include "ranks/ranks.hpp"
#include "regatta/dispatch/agent_turn.hpp"
#include "regatta/protocol/codec.hpp"
#include "regatta/results/store.hpp"
#include "simulation/seat.hpp"
#include "simulation/workload.hpp"
#include "simulation/world.hpp"

namespace regatta::scale {
namespace {

using launcher::Chores;
using launcher::Hub;
using launcher::MpiLink;
using launcher::MpiSession;
using launcher::Uplink;

constexpr double longest_sleep_seconds = 20e-3;
constexpr double last_sleep_seconds = 1e-3;

/// The wanted and the taken time of sleeping trials.
struct Slept {
  double wanted_seconds = 0;
  double taken_seconds = 0;
};

void sleep_for(double seconds, const Chores& chores) { launcher::wait_readable({}, Deadline::after(seconds), chores); }

/// launcher/ranks/agent.cpp without its workers.
Slept run_sleeping_agent(std::uint32_t own, const Mix& mix, std::uint64_t seed, const Uplink& uplink,
                         const Chores& chores) {
  Slept slept;
  dispatch::AgentTurn turn({own});
  launcher::LotSize lot;
  const auto send_all = [&] {
    for (const protocol::AgentReply& reply : turn.take_messages()) uplink.send(reply);
  };
  uplink.send(ready_of(own, mix));
  for (double sleep_seconds = shortest_sleep_seconds; !turn.done();) {
    bool news = false;
    while (auto request = uplink.receive()) {
      turn.receive(*std::move(request));
      news = true;
    }
    send_all();
    if (const auto tasks = turn.next_lot(lot.blocks(), goes_in_lots); !tasks.empty()) {
      const double begin = steady_seconds();
      for (const sweep::BlockTask& task : tasks) {
        Attempt attempt = attempt_of(mix, seed, task);
        const double start = steady_seconds();
        slept.wanted_seconds += attempt.seconds;
        sleep_for(attempt.seconds, chores);
        attempt.seconds = steady_seconds() - start;
        slept.taken_seconds += attempt.seconds;
        turn.ran(reply_of(task, attempt, start));
      }
      lot.took(tasks.size(), steady_seconds() - begin);
      send_all();
      sleep_seconds = shortest_sleep_seconds;
      continue;
    }
    sleep_seconds = news ? shortest_sleep_seconds : std::min(2 * sleep_seconds, longest_sleep_seconds);
    sleep_for(sleep_seconds, [=] { return sleep_seconds; });
  }
  return slept;
}

double sync_seconds(const std::filesystem::path& folder) {
  constexpr std::size_t syncs = 21;
  results::PosixLogFile file(folder / "syncs");
  std::vector<double> taken;
  for (std::size_t i = 0; i < syncs; ++i) {
    file.append(std::string(2000, 'x'));
    const double start = steady_seconds();
    file.sync();
    taken.push_back(steady_seconds() - start);
  }
  std::ranges::nth_element(taken, taken.begin() + syncs / 2);
  return taken[syncs / 2];
}

SleptSweep run_rank_zero(const MpiSession& mpi, MpiLink& link, const Mix& mix, std::uint64_t seed) {
  const launcher::ScratchFolder folder("link");
  SleptSweep found;
  found.sync_seconds = sync_seconds(folder.path);
  const launcher::Job job = make_job(mix, seed);
  results::StoreWriter store(folder.path / "scale.regatta", job.sweep, job.plan, {});
  dispatch::Coordinator coordinator(job.sweep, job.plan, {}, {}, static_cast<std::uint32_t>(mpi.size()));
  launcher::Recorder recorder(store);
  Hub hub(coordinator, recorder, link, launcher::ProgressPrinter(job, {}, {}, {{}, steady_seconds()}));
  const Uplink uplink{[&](const protocol::AgentReply& message) { hub.send_local(message); },
                      [&] { return hub.receive_local(); }, [] { return false; }};
  static_cast<void>(mpi.broadcast("begin", [] { return 1.0; }));
  const double start = steady_seconds();
  const double cpu = thread_seconds();
  const Slept slept = run_sleeping_agent(0, mix, seed, uplink, [&hub] { return hub.turn_beside_slice(true); });
  while (!coordinator.done()) {
    hub.turn();
    sleep_for(last_sleep_seconds, [] { return last_sleep_seconds; });
  }
  found.whole_seconds = steady_seconds() - start;
  found.cpu_seconds = thread_seconds() - cpu;
  found.late_share = slept.taken_seconds / slept.wanted_seconds - 1;
  found.blocks = coordinator.progress().blocks;
  found.recorded = coordinator.progress().blocks_done;
  while (!link.flushed()) sleep_for(last_sleep_seconds, [] { return last_sleep_seconds; });
  return found;
}

}  // namespace

SleptSweep run_sleeping_sweep(const MpiSession& mpi, MpiLink& link, const Mix& mix, std::uint64_t seed) {
  if (mpi.rank() == 0) return run_rank_zero(mpi, link, mix, seed);
  launcher::AgentMail mail(link);
  const Uplink uplink{.send =
                          [&](const protocol::AgentReply& message) {
                            link.send({0}, launcher::Channel::coordinator, protocol::to_packed(message));
                          },
                      .receive = [&] { return mail.from_coordinator(); },
                      .drain_requested = [] { return false; }};
  static_cast<void>(mpi.broadcast("", [] { return 1.0; }));
  static_cast<void>(run_sleeping_agent(static_cast<std::uint32_t>(mpi.rank()), mix, seed, uplink, [] { return 1.0; }));
  while (!link.flushed()) sleep_for(last_sleep_seconds, [] { return last_sleep_seconds; });
  return {};
}

}  // namespace regatta::scale
