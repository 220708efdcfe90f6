#include "ranks/rank.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <future>
#include <optional>
#include <utility>

#include "children/children.hpp"
#include "children/compile_caches.hpp"
#include "children/installations.hpp"
#include "host/core_claims.hpp"
#include "host/host.hpp"
#include "host/topology.hpp"
#include "job/agent_facts.hpp"
#include "job/data_checks.hpp"
#include "job/foretold.hpp"
#include "job/job.hpp"
#include "job/kept_spreads.hpp"
#include "job/open_blocks.hpp"
#include "job/passes.hpp"
#include "os/drain_signal.hpp"
#include "os/folder_lock.hpp"
#include "os/process_tree.hpp"
#include "ranks/agent_mail.hpp"
#include "ranks/busy_watch.hpp"
#include "ranks/drain_patience.hpp"
#include "ranks/message_router.hpp"
#include "ranks/mpi_link.hpp"
#include "ranks/mpirun.hpp"
#include "ranks/node_slots.hpp"
#include "ranks/ranks.hpp"
#include "ranks/slot_device.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/lease.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/protocol/codec.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/final_block.hpp"

namespace regatta::launcher {
namespace {

constexpr double check_seconds = 0.5;
constexpr double journal_lock_seconds = 8;  // longer than the end of a killed job's ranks takes

/// The base of both kinds of rank.
struct Rank {
  const MpiSession& mpi;
  MpiLink link;
  MpiRelay relay;
  pid_t parent;
  LeavePatience patience{};
  double next_check_seconds = 0;
  std::optional<BusyWatch> others{};  ///< the first rank of each host has one, once it knows its slot
};

/// Rank 0 alone says so, and its exit code is the job's.
[[noreturn]] void leave_without_others(const Rank& rank) {
  if (rank.mpi.rank() != 0) ::_exit(exit_code::done);
  log::error("asked to stop, and a rank does not answer (it has died?); run the same command again to go on");
  ::_exit(exit_code::work_left);
}

// A killed mpirun leaves its ranks behind; nobody would collect what they do. Where srun started them, nobody tells a
// rank that another has died. The spawner sees our end and kills the workers.
void leave_if_alone(Rank& rank) {
  const double now = steady_seconds();
  if (now < rank.next_check_seconds) return;
  rank.next_check_seconds = now + check_seconds;
  if (::getppid() != rank.parent) ::_exit(exit_code::work_left);
  const Others others{drain_requested(), termination_requested(), rank.link.heard_seconds()};
  if (rank.mpi.size() > 1 && rank.patience.is_over(others, now)) leave_without_others(rank);
}

/// A host without rank 0 has no progress line to put it into.
void tell_busy(Rank& rank) {
  if (!rank.others || rank.mpi.rank() == 0) return;
  if (const OthersSeen seen = rank.others->look(steady_seconds()); seen.is_news)
    log::warn(fmt::format("{}: {}", host_name(), busy_sentence(*seen.use)));
}

void keep_watch(Rank& rank) {
  leave_if_alone(rank);
  tell_busy(rank);
}

/// For a rank that waits for something else than the coordinator.
Chores chores_of(Rank& rank) {
  return [&rank] {
    keep_watch(rank);
    return 1.0;
  };
}

InputStore input_store(const AgentFacts& facts, int rank) {
  return {facts.folder / "inputs", executable_folder() / "regatta-worker", share_folder() / "datasets",
          (facts.folder / "logs" / fmt::format("agent-{}-inputs.log", rank)).string()};
}

EnvironmentPlaces places_for(const AgentFacts& facts) {
  EnvironmentPlaces places = default_places();
  places.from_sweep = facts.from_sweep;
  places.from_file = facts.from_file;
  return places;
}

PoolOptions pool_options(const AgentFacts& facts, int rank, const Slot& slot,
                         const std::optional<OwnedDevice>& device) {
  PoolOptions options;
  options.cpus = slot.cpus;
  options.log_folder = (facts.folder / "logs").string();
  options.agent = static_cast<std::uint32_t>(rank);
  options.memory_bytes = facts.limits.memory_bytes.value_or(0);
  options.timeout_seconds = facts.limits.trial_timeout_seconds;
  options.variables = CompileCaches(facts.folder).variables();
  if (facts.keeps_processes) options.variables["REGATTA_PROCESS"] = "kept";
  if (device) options.variables.merge(variables_of(device->care.device));
  return options;
}

void tell_other_runs(const CoreClaim& claim) {
  for (const OtherClaim& other : claim.others()) {
    log::warn(
        fmt::format("process {} measures on the same cores, for {}. Each disturbs the other, and the rows of both "
                    "carry the flag `other run`. Wait for it, or give each cores of its own with taskset",
                    other.pid, other.run));
  }
}

/// The means with which this rank measures, from its first pass to its last.
class AgentRole {
 public:
  AgentRole(const MpiSession& mpi, MpiRelay& relay, const AgentFacts& facts, SpawnerKeeper keeper, const Chores& chores)
      : number_(mpi.rank()),
        relay_{relay.transport()},
        place_(own_slot(mpi, chores)),
        device_(own_device(mpi, facts.devices, place_.cpus, chores)),
        spawner_(std::move(keeper), with_relay(chores, relay_), [this] { return patience_.is_over(); }),
        pool_(spawner_, pool_options(facts, number_, place_, device_), chores),
        environments_(places_for(facts)),
        claim_(claims_folder(), std::filesystem::absolute(facts.folder).string(), place_.cpus),
        slot_{spawner_, pool_, environments_, claim_, input_store(facts, number_), facts.folder, read_host()} {
    slot_.one_by_one = facts.one_by_one;
    slot_.keeps_workers = facts.keeps_processes;
    slot_.memory_domain = memory_domain(mpi.host());
    if (mpi.size() > 1) slot_.relay = &relay_;
    if (device_) {
      slot_.device = device_->care.device;
      slot_.care = device_->care;
      place_.flags.add(device_->flags);
    }
    tell_other_runs(claim_);
  }

  /// Begins to watch what other programs take of the cores of this run on this host, while this lives.
  [[nodiscard]] BusyWatch watch_others() const {
    return {[this] { return claim_.slots_of_run(); }, descendants, steady_seconds()};
  }

  /// Until the coordinator has no more blocks of this pass; no worker outlives it, unless processes are kept.
  void run_pass(const Uplink& uplink) {
    slot_.calibration_reported = false;  // each pass is a session of the journal
    run_agent(slot_, uplink, {static_cast<std::uint32_t>(number_)},
              {to_json(slot_.host), {place_.cpus, slot_.device}, place_.flags, slot_.memory_domain});
  }

  /// After the last pass.
  void end() { pool_.stop_all(); }

 private:
  int number_;
  RelayLine relay_;
  Slot place_;
  std::optional<OwnedDevice> device_;
  DrainPatience patience_;
  SpawnerClient spawner_;
  WorkerPool pool_;
  EnvironmentResolver environments_;
  CoreClaim claim_;
  AgentSlot slot_;
};

/// Rank 0 has something to measure, and these facts are the same in every pass. Nothing: it has not, and this rank may
/// leave.
std::optional<AgentFacts> receive_facts(Rank& rank) {
  const std::string text = rank.mpi.broadcast("", chores_of(rank));
  return text.empty() ? std::nullopt : std::optional(parse_agent_facts(text));
}

/// The coordinator is told what failed, if it can be: then this rank's end ends the job.
[[noreturn]] void leave_cut_off(Rank& rank, const std::string& why) {
  constexpr double telling_seconds = 2;
  const Deadline deadline = Deadline::after(telling_seconds);
  while (!rank.link.flushed() && !deadline.passed()) wait_readable({}, Deadline::after(1e-3), [] { return 1e-3; });
  throw PeerLost(why);
}

/// The other ranks of this node end what they measure; then rank 0 leaves without those that it does not hear.
void drain_cut_off(const std::string& why) {
  log::error(why + "; this job ends, and what is complete is kept: run the same command again to go on");
  ::raise(SIGUSR1);
}

void run_plain_agent(Rank& rank, const AgentFacts& facts, SpawnerKeeper keeper) {
  const AgentId coordinator{0};
  AgentMail mail(rank.link);
  const Uplink uplink{.send =
                          [&](const protocol::AgentReply& message) {
                            rank.link.send(coordinator, Channel::coordinator, protocol::to_packed(message));
                          },
                      .receive =
                          [&] {
                            keep_watch(rank);
                            return mail.from_coordinator();
                          },
                      .drain_requested = drain_requested,
                      .gang = gang_link(rank.link,
                                        [&]() -> GangInbox& {
                                          keep_watch(rank);
                                          return mail.gang();
                                        }),
                      .cut_off = [&](const std::string& why) { leave_cut_off(rank, why); }};
  // While a slice runs this rank makes no MPI call and sleeps on the worker's pipe.
  AgentRole agent(rank.mpi, rank.relay, facts, std::move(keeper), chores_of(rank));
  if (rank.mpi.local_rank() == 0) rank.others.emplace(agent.watch_others());
  do {
    agent.run_pass(uplink);
  } while (receive_facts(rank));
  agent.end();
}

/// Rank 0's two roles, and the passes that it decides on.
struct Leader {
  Rank& rank;
  const Job* job;  ///< job of the pass that runs
  results::StoreWriter& store;
  const ProgressOptions& progress;
  PassShown pass;      ///< the pass that runs
  Hub* hub = nullptr;  ///< serves the same
};

std::string too_long_text(std::size_t blocks, bool is_of_allocation) {
  if (!is_of_allocation)
    return fmt::format(
        "the time of --for or \"total\" is over, and {} trial{} not begun; run the same command again to "
        "go on",
        blocks, blocks == 1 ? " was" : "s were");
  return fmt::format(
      "{} block{} not begun: the rest of the allocation is most likely too short to keep any of {}. Run the same "
      "command in the next one to go on",
      blocks, blocks == 1 ? " was" : "s were", blocks == 1 ? "it" : "them");
}

std::string too_many_failed_text(const dispatch::Progress& progress) {
  return fmt::format(
      "stopped after {} failed trial{}, as limits.failures says; run the same command again to go on with the others",
      progress.failed_arms, progress.failed_arms == 1 ? "" : "s");
}

std::string too_large_text(const dispatch::Progress& progress) {
  return fmt::format(
      "{} block{} of a training, or recorded before, cannot go on here, and what was measured is kept: {}{}",
      progress.too_large, progress.too_large == 1 ? "" : "s", progress.too_large == 1 ? "" : "the last one ",
      progress.too_large_reason);
}

/// How a pass over blocks ended.
enum class PassEnd {
  whole,         ///< none is unbegun; what was interrupted is gone on with by itself
  cut,           ///< by a drain or too little time, or some of what is left needs more than there is here
  out_of_reach,  ///< all of it does
};

PassEnd pass_end(const dispatch::Progress& progress) {
  if (progress.too_large > 0) {  // a next pass would meet them again
    const bool is_all = progress.blocks_done + progress.too_large >= progress.blocks;
    return is_all ? PassEnd::out_of_reach : PassEnd::cut;
  }
  const bool was_cut = drain_requested() || progress.too_long > 0 || progress.stopped_by_failures;
  return was_cut && progress.blocks_done + progress.interrupted < progress.blocks ? PassEnd::cut : PassEnd::whole;
}

PassEnd run_pass(Leader& leader, AgentRole& agent, const OpenBlocks& open) {
  Rank& rank = leader.rank;
  const Job& job = *leader.job;
  stats::SpreadPool spreads = job.spreads;
  spreads.add(open.spreads);
  const double end_seconds = end_of_allocation_seconds();
  const double end_of_total = end_of_total_seconds(job, wall_seconds());
  dispatch::Coordinator coordinator(
      job.sweep, job.plan, {job.sharing, std::move(spreads), job.options.rerun == Rerun::early},
      {open.finished, open.continued, open.taken, open.deaths}, static_cast<std::uint32_t>(rank.mpi.size()),
      {block_estimates(job), std::min(end_seconds, end_of_total)});
  Recorder recorder(leader.store);
  Hub hub(coordinator, recorder, rank.link,
          ProgressPrinter(job, open.finished, leader.progress, leader.pass,
                          [&](double now) { return rank.others->look(now); }));
  const Uplink uplink{.send = [&](const protocol::AgentReply& message) { hub.send_local(message); },
                      .receive =
                          [&] {
                            leave_if_alone(rank);
                            return hub.receive_local();
                          },
                      .drain_requested = drain_requested,
                      .sleeps = [&](double seconds) { hub.sleeps(seconds); },
                      .gang = gang_link(rank.link,
                                        [&]() -> GangInbox& {
                                          leave_if_alone(rank);
                                          return hub.gang();
                                        }),
                      .cut_off = drain_cut_off};
  leader.hub = &hub;
  agent.run_pass(uplink);
  const Chores pause = [] { return 0.001; };
  while (!coordinator.done() || !rank.link.flushed()) {
    hub.turn();
    leave_if_alone(rank);
    hub.sleeps(0.001);
    wait_readable({}, Deadline::after(0.001), pause);
  }
  hub.note_self();
  hub.tell_repeats();
  leader.hub = nullptr;
  const dispatch::Progress& progress = coordinator.progress();
  if (progress.too_long > 0) log::warn(too_long_text(progress.too_long, end_seconds <= end_of_total));
  if (progress.stopped_by_failures) log::warn(too_many_failed_text(progress));
  if (progress.too_large > 0) log::warn(too_large_text(progress));
  return pass_end(progress);
}

/// The state that rank 0 begins with.
struct Start {
  std::string created;  ///< when the command was given, ISO 8601, UTC: all passes are its
  OpenBlocks open;
  std::optional<Passes> passes;
};

/// `open` are the job's.
void take_open_blocks(Job& job, const OpenBlocks& open) {
  if (open.legs)
    job.plan.blocks = *open.legs;
  else
    job.plan = sweep::with_finals(std::move(job.plan), open.finals);
  job.sharing.all = sharing_need(job, open);
}

/// The job of the first pass. A plan of very many trials that stays as it is goes there and back, and is not copied.
class FirstPass {
 public:
  FirstPass(Job& whole, const OpenBlocks& open)
      : whole_(whole),
        all_(whole.sharing.all),
        job_(open.legs || !open.finals.empty() ? std::optional(whole) : std::nullopt) {
    take_open_blocks(job(), open);
  }
  ~FirstPass() { whole_.sharing.all = all_; }
  FirstPass(const FirstPass&) = delete;
  FirstPass& operator=(const FirstPass&) = delete;

  Job& job() { return job_ ? *job_ : whole_; }

 private:
  Job& whole_;
  sweep::TimeNeed all_;
  std::optional<Job> job_;
};

/// The first pass over what is open, then those that follow from its results: each is a session of the journal.
void run_coordinator(Rank& rank, Job& whole, SpawnerKeeper keeper, results::StoreWriter& store, Start start,
                     const ProgressOptions& progress) {
  Leader leader{rank, nullptr, store, progress, {{}, steady_seconds()}};
  AgentRole agent(rank.mpi, rank.relay, agent_facts(whole), std::move(keeper), [&leader] {
    leave_if_alone(leader.rank);
    return leader.hub == nullptr ? 1.0 : leader.hub->turn_beside_slice(leader.rank.mpi.size() > 1);
  });
  rank.others.emplace(agent.watch_others());
  std::optional<FirstPass> first(std::in_place, whole, start.open);
  leader.job = &first->job();
  std::optional<Job> again;  // the same sweep and other blocks
  for (;;) {
    const PassEnd ended = run_pass(leader, agent, start.open);
    first.reset();
    const auto next = start.passes->next(ended == PassEnd::whole);
    results::SessionEndRecord end = start.passes->session_end();
    end.out_of_reach = ended == PassEnd::out_of_reach;
    store.end_session(end);
    if (!next && ended == PassEnd::whole && !drain_requested()) CompileCaches(whole.folder()).remove();
    if (!next || drain_requested()) break;
    if (!leader.progress.is_quiet) log::info(next->why);
    again = job_of(whole, *next);
    leader.job = &*again;
    leader.pass.number = next->number;
    start.open = next->open;
    take_open_blocks(*again, start.open);
    store.next_session(again->sweep, again->plan, make_provenance(*again, start.created, mpi_version()));
    static_cast<void>(rank.mpi.broadcast(to_text(agent_facts(*again)), chores_of(rank)));
  }
  agent.end();
  static_cast<void>(rank.mpi.broadcast("", chores_of(rank)));
}

// The other ranks wait for this one, so an orderly MPI_Finalize would hang: leave at once, and mpirun
// ends the job. The journal holds what was acknowledged.
template <class Role>
void run_or_leave(const Role& role, int refused = exit_code::bad_input) {
  int code = exit_code::our_mistake;
  try {
    return role();
  } catch (const FencedOff& error) {
    log::error(error.what());
    code = refused;
  } catch (const StorageError& error) {
    log::error(error.what());
    code = exit_code::storage;
  } catch (const PeerLost& error) {
    log::error(error.what());
    code = exit_code::work_left;
  } catch (const std::exception& error) {
    log::error(error.what());
  }
  ::_exit(code);
}

// Rank 0 alone reads files and opens the store; an empty text tells the others that this failed. `epoch`: of the
// launcher that owns the folder; 0: there is none, and rank 0 takes the folder itself.
void run_rank_zero(Rank& rank, SpawnerKeeper keeper, std::future<JobToGoOn> reading, const ProgressOptions& progress,
                   std::uint64_t epoch) {
  const int refused = epoch == 0 ? exit_code::bad_input : refused_by_rank;
  std::optional<FolderLock> lock;
  std::optional<Job> job;
  std::optional<results::StoreWriter> store;
  Start start{utc_now(), {}, {}};
  try {
    JobToGoOn read = reading.get();
    job = read.job.get();
    job->sharing.slots = static_cast<std::size_t>(rank.mpi.size());
    job->origins = origins_now(*job);
    job->unfit = check_data(job->sweep, job->plan).unfit;
    need_a_training(*job);
    keep_data(*job);
    job->sharing.starts = known_starts(*job, job->plan, StartHistory(user_cache_folder())).starts;
    if (epoch == 0) epoch = lock.emplace(job->folder(), journal_lock_seconds).epoch();
    results::Scan journal = resume(*job, journal_lock_seconds, read.records.get());
    if (!progress.is_quiet) {
      for (const std::string& line : change_lines(*job, journal)) log::info(line);
    }
    job->spreads = earlier_spreads(*job, journal);
    job->tried_since = tried_since(*job, journal, wall_seconds());
    start.open = open_blocks(*job, journal);
    start.passes.emplace(*job, journal, start.open);
    create_private_folder(job->folder());
    create_private_folder(job->folder() / "logs");
    store.emplace(job->folder(), job->sweep, job->plan, make_provenance(*job, start.created, mpi_version()),
                  journal_lock_seconds, std::move(journal), LeaseFence(job->folder(), epoch));
  } catch (...) {
    static_cast<void>(rank.mpi.broadcast("", chores_of(rank)));
    throw;
  }
  static_cast<void>(rank.mpi.broadcast(to_text(agent_facts(*job)), chores_of(rank)));
  run_or_leave([&] { run_coordinator(rank, *job, std::move(keeper), *store, std::move(start), progress); }, refused);
}

}  // namespace

namespace {

/// The rank of this process among its job's, where its starter says so before MPI does.
std::optional<int> rank_as_told() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* const told = std::getenv(name)) return std::atoi(told);
  }
  return std::nullopt;
}

/// A large plan takes as long as MPI to start: both go on side by side. An error goes to the reader of the future. MPI
/// changes the environment while it starts, so that nothing else may ask for it then.
std::future<JobToGoOn> begin_reading(const JobOptions& options) {
  std::promise<JobToGoOn> read;
  try {
    read.set_value(read_to_go_on(options));
  } catch (...) {
    read.set_exception(std::current_exception());
  }
  return read.get_future();
}

}  // namespace

bool started_as_rank() { return rank_as_told().has_value(); }

bool is_first_process() { return rank_as_told().value_or(0) == 0; }

void refuse_lone_tasks() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");  // the batch script itself has none
  if (tasks == nullptr || std::atoi(tasks) <= 1 || started_as_rank()) return;
  throw InputError(fmt::format(
      "Slurm started {} tasks of this step without MPI. Every task would run the whole sweep. Start with `srun "
      "--mpi=pmix`. Where Slurm has no pmix, put `launch=()` into site.sh and submit slurm/sweep.sbatch",
      tasks));
}

int run_rank(const JobOptions& options, const ProgressOptions& progress, double rank_timeout_seconds,
             std::uint64_t epoch) {
  watch_for_drain();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto told = rank_as_told();
  SpawnerKeeper keeper =
      start_spawner_keeper(AgentWatch{told ? fmt::format("rank {}", *told) : "a rank", rank_timeout_seconds});
  forget_folders_of_another_host();
  std::future<JobToGoOn> reading;
  if (told == 0) reading = begin_reading(options);
  const MpiSession mpi;
  Rank rank{mpi, {}, MpiRelay(mpi), ::getppid()};
  if (mpi.rank() == 0) {
    if (!reading.valid()) reading = begin_reading(options);
    run_rank_zero(rank, std::move(keeper), std::move(reading), progress, epoch);
  } else if (const auto facts = receive_facts(rank)) {
    run_or_leave([&] { run_plain_agent(rank, *facts, std::move(keeper)); });
  }
  return mpi.rank();
}

}  // namespace regatta::launcher
