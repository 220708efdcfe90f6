#include "ranks/rank.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <optional>

#include "children/installations.hpp"
#include "children/spawner.hpp"
#include "host/host_info.hpp"
#include "host/topology.hpp"
#include "job/open_blocks.hpp"
#include "job/provenance.hpp"
#include "os/drain_signal.hpp"
#include "ranks/agent.hpp"
#include "ranks/drain_patience.hpp"
#include "ranks/message_router.hpp"
#include "ranks/mpi_link.hpp"
#include "ranks/mpirun.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/protocol/codec.hpp"
#include "regatta/sweep/task_of.hpp"

namespace regatta::launcher {
namespace {

constexpr double parent_check_seconds = 0.5;
constexpr double journal_lock_seconds = 8;  // longer than the end of a killed job's ranks takes

/// What both kinds of rank stand on.
struct Rank {
  const MpiSession& mpi;
  MpiLink link;
  Job job;
  pid_t parent;
  double next_parent_check_seconds = 0;
};

// A killed mpirun leaves its ranks behind; nobody would collect what they do.
void leave_if_orphaned(Rank& rank) {
  const double now = steady_seconds();
  if (now < rank.next_parent_check_seconds) return;
  rank.next_parent_check_seconds = now + parent_check_seconds;
  if (::getppid() != rank.parent) ::_exit(exit_code::work_left);  // the spawner sees our end and kills the workers
}

InputStore input_store(const Job& job, int rank) {
  const auto folder = job.folder() / "inputs";
  return {folder, executable_folder() / "regatta-worker", share_folder() / "datasets",
          (job.folder() / "logs" / fmt::format("agent-{}-inputs.log", rank)).string()};
}

EnvironmentPlaces places_for(const Job& job) {
  EnvironmentPlaces places = default_places();
  places.from_sweep = job.sweep.environments;
  places.from_file = job.environments;
  return places;
}

void run_agent_role(Rank& rank, SpawnerHandle spawner_handle, const Uplink& uplink, const Chores& chores) {
  const int number = rank.mpi.rank();
  const Slot slot = slot_for(read_topology(), rank.mpi.local_rank(), rank.mpi.local_size());
  DrainPatience patience;
  SpawnerClient spawner(std::move(spawner_handle), chores, [&] { return patience.is_over(); });
  PoolOptions options;
  options.cpus = slot.cpus;
  options.log_folder = (rank.job.folder() / "logs").string();
  options.agent = static_cast<std::uint32_t>(number);
  options.memory_bytes = rank.job.sweep.limits.memory_bytes.value_or(0);
  options.timeout_seconds = rank.job.sweep.limits.trial_timeout_seconds;
  WorkerPool pool(spawner, options, chores);
  EnvironmentResolver environments(places_for(rank.job));
  AgentSlot agent_slot{spawner, pool, environments, input_store(rank.job, number), read_host()};
  const TaskOf task_of = [&job = rank.job](BlockIndex block) {
    return sweep::task_of(job.sweep, job.plan, job.plan.blocks.at(block.value), {job.sharing_arms, job.floor});
  };
  run_agent(agent_slot, task_of, uplink, {static_cast<std::uint32_t>(number)},
            {to_json(agent_slot.host), slot.cpus, slot.flags});
}

void run_plain_agent(Rank& rank, SpawnerHandle spawner) {
  const AgentId coordinator{0};
  const Uplink uplink{
      [&](const protocol::AgentReply& message) { rank.link.send(coordinator, protocol::to_frame(message)); },
      [&]() -> std::optional<protocol::AgentRequest> {
        leave_if_orphaned(rank);
        const auto incoming = rank.link.poll();
        if (!incoming) return std::nullopt;
        return protocol::parse_agent_request(incoming->frame);
      },
      drain_requested};
  // While a slice runs this rank makes no MPI call and sleeps on the worker's pipe.
  run_agent_role(rank, std::move(spawner), uplink, [&] {
    leave_if_orphaned(rank);
    return 1.0;
  });
}

void run_coordinator(Rank& rank, SpawnerHandle spawner, results::StoreWriter& store, const OpenBlocks& open,
                     const ProgressOptions& progress) {
  dispatch::Coordinator coordinator(rank.job.sweep.limits, rank.job.plan, {open.finished, open.continued, open.again},
                                    static_cast<std::uint32_t>(rank.mpi.size()));
  Recorder recorder(store);
  Hub hub(coordinator, recorder, rank.link, ProgressPrinter(rank.job, open.finished, progress));
  const Uplink uplink{[&](const protocol::AgentReply& message) { hub.send_local(message); },
                      [&] {
                        leave_if_orphaned(rank);
                        return hub.receive_local();
                      },
                      drain_requested};
  run_agent_role(rank, std::move(spawner), uplink, [&] {
    leave_if_orphaned(rank);
    return hub.turn_beside_slice(rank.mpi.size() > 1);
  });
  const Chores pause = [] { return 0.001; };
  while (!coordinator.done() || !rank.link.flushed()) {
    hub.turn();
    leave_if_orphaned(rank);
    wait_readable({}, Deadline::after(0.001), pause);
  }
  store.end_session();
}

// The other ranks wait for this one, so an orderly MPI_Finalize would hang: leave at once, and mpirun
// ends the job. The journal holds what was acknowledged.
template <class Role>
void run_or_leave(const Role& role) {
  int code = exit_code::our_mistake;
  try {
    return role();
  } catch (const StorageError& error) {
    log::error(error.what());
    code = exit_code::storage;
  } catch (const std::exception& error) {
    log::error(error.what());
  }
  ::_exit(code);
}

// Rank 0 alone reads files and opens the store; an empty job tells the others that this failed.
RankEnd run_rank_zero(const MpiSession& mpi, SpawnerHandle spawner, const JobOptions& options,
                      const ProgressOptions& progress) {
  std::optional<Rank> rank;
  std::optional<results::StoreWriter> store;
  OpenBlocks open;
  try {
    rank.emplace(Rank{mpi, {}, read_job(options), ::getppid(), 0});
    open = open_blocks(rank->job);
    rank->job.sharing_arms = sharing_arms(rank->job, open);
    rank->job.floor = open.floor;
    create_private_folder(rank->job.folder());
    create_private_folder(rank->job.folder() / "logs");
    store.emplace(rank->job.folder(), rank->job.sweep, rank->job.plan, make_provenance(rank->job, mpi_version()),
                  journal_lock_seconds);
  } catch (...) {
    static_cast<void>(mpi.broadcast(""));
    throw;
  }
  static_cast<void>(mpi.broadcast(to_text(rank->job)));
  run_or_leave([&] { run_coordinator(*rank, std::move(spawner), *store, open, progress); });
  return {0, 0};
}

}  // namespace

bool started_as_rank() {
  return std::getenv("OMPI_COMM_WORLD_RANK") != nullptr || std::getenv("PMIX_RANK") != nullptr ||
         std::getenv("PMI_RANK") != nullptr;
}

RankEnd run_rank(const JobOptions& options, const ProgressOptions& progress) {
  watch_for_drain();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  SpawnerHandle spawner = start_spawner();
  forget_folders_of_another_host();
  const MpiSession mpi;
  if (mpi.rank() == 0) return run_rank_zero(mpi, std::move(spawner), options, progress);
  const std::string text = mpi.broadcast("");
  if (!text.empty()) {
    Rank rank{mpi, {}, parse_job(text), ::getppid(), 0};
    run_or_leave([&] { run_plain_agent(rank, std::move(spawner)); });
  }
  return {mpi.rank(), 0};
}

}  // namespace regatta::launcher
