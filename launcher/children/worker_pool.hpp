// The warm workers of one agent: one process per process key.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "children/installations.hpp"
#include "children/spawner_client.hpp"
#include "children/worker_death.hpp"
#include "os/wait.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/outcome.hpp"

namespace regatta::launcher {

/// A worker that runs but does not serve: it lacks the framework, or speaks another protocol. It is gone when this is
/// thrown.
struct WorkerRefused {
  protocol::Error error;
};

struct Worker {
  WorkerId id;
  pid_t pid = -1;
  UniqueFd pidfd;
  FrameSocket link;
  protocol::Ready ready;
  std::string log_path;
  std::vector<std::string> argv;
  double start_seconds = 0;       ///< until it was ready, imports included
  double started_at_seconds = 0;  ///< on the steady clock
  bool fresh = true;              ///< it has prepared nothing yet
  bool began_beside = false;      ///< others ran while it started: it tells nothing of how long that takes
  bool is_beginning = false;      ///< so, and it was not waited for yet
  bool paused = false;
  bool packs = false;                              ///< it reads packed messages as we write them
  std::string_view occupation = {};                ///< the work of the last request, for messages
  std::deque<protocol::WorkerRequest> ahead = {};  ///< it has them, and nobody has asked yet
  std::size_t ahead_bytes = 0;                     ///< since it had none
  std::string unsent = {};                         ///< text that goes out of it before somebody waits
  double ahead_since_seconds = 0;                  ///< when the last of them was sent, on the steady clock
  bool is_watched = false;                         ///< is_given_up is asked all the time, not only near the end
  std::function<bool()> is_given_up = {};          ///< as a rank, by the others that wait for it; nothing: it is alone
};

struct PoolOptions {
  std::vector<int> cpus;  ///< CPUs of the slot
  std::string log_folder;
  std::uint32_t agent = 0;                            ///< for the names of the logs
  std::uint64_t memory_bytes = 0;                     ///< 0: no limit
  double timeout_seconds = 300;                       ///< for each answer of a worker
  std::map<std::string, std::string> variables = {};  ///< for all workers, unless their installation has its own
};

class WorkerPool {
 public:
  WorkerPool(SpawnerClient& spawner, PoolOptions options, Chores chores);

  /// The warm worker of this key, started if there is none. Throws WorkerDied or WorkerRefused.
  Worker& warm_worker(const ProcessKey& key, const WorkerProgram& program, std::int64_t threads);

  /// Starts the worker of this key, which has none, on these cores, while others compute: warm_worker() waits for it
  /// and binds it to its own. Throws WorkerDied.
  void begin(const ProcessKey& key, const WorkerProgram& program, const std::vector<int>& cpus);

  /// The worker that holds prepared arms of this key.
  Worker& running_worker(const ProcessKey& key) { return workers_.at(key); }

  [[nodiscard]] bool has(const ProcessKey& key) const { return workers_.contains(key); }

  /// Sends a request (waking the worker if it is paused) and returns the next reply. Throws WorkerDied, or GivenUp when
  /// nobody waits for it any more: the worker is gone then.
  protocol::WorkerReply ask(Worker& worker, const protocol::WorkerRequest& request);
  protocol::WorkerReply await(Worker& worker);

  /// Sends the next requests, in this order, to a worker that answers together. False if they are more than fits into
  /// its link while nobody reads the answers.
  bool send_ahead(Worker& worker, std::vector<protocol::WorkerRequest> requests);

  /// Ends the worker of this key, if there is one, and waits until it is gone.
  void retire(const ProcessKey& key);

  /// Kills a worker that broke the protocol, waits until it is gone, throws WorkerDied with this reason.
  [[noreturn]] void kill_for(Worker& worker, sweep::FailureKind kind, const std::string& message);

  /// Stops the worker's process group, or wakes it; a request wakes it, too.
  void pause(Worker& worker);
  void resume(Worker& worker);

  /// Stops the process groups of all workers but `active` and those that are beginning, so that they do not disturb it.
  void pause_others(const Worker* active);

  /// Cores a child with so many threads is bound to: the last ones of the slot, away from the agent.
  [[nodiscard]] std::vector<int> cpus_for(std::int64_t threads) const;

  /// Sets of as many cores, on each of which another worker may begin meanwhile; the nearest first.
  [[nodiscard]] std::vector<std::vector<int>> cpus_beside(std::int64_t threads) const;

  [[nodiscard]] const PoolOptions& options() const { return options_; }

  /// For a rank that does not come to an exchange: shorter than limits.trial_timeout, so that the one that hangs is
  /// told from those that wait for it. Once they gave it up it is not waited for either.
  [[nodiscard]] double patience_seconds() const { return 0.8 * options_.timeout_seconds; }

  /// How a child of this slot ended, one of the pool's or another one.
  Death cause_of_death(const protocol::Exited& exit);

  /// Ends all workers: asks, then kills.
  void stop_all();

 private:
  enum class Waited { answered, unwanted, given_up, too_long };
  [[nodiscard]] Waited wait_for(const Worker& worker, Deadline& deadline) const;
  [[nodiscard]] std::string time_of(Waited waited) const;
  Worker& start(const ProcessKey& key, const WorkerProgram& program, const std::vector<int>& cpus);
  void greet(Worker& worker);
  void bind(Worker& worker, std::int64_t threads);
  /// Throws WorkerDied with could_not_start of a program that has never started and exits: it would again.
  protocol::WorkerReply first_answer(Worker& worker);
  void send(Worker& worker, std::string_view bytes);
  void send_unsent(Worker& worker);
  void drop_ahead(Worker& worker);
  static void say_hello(Worker& worker);
  void end(const Worker& worker);
  [[noreturn]] void give_up(const Worker& worker);
  void expect_wanted_or_forget(const Worker& worker, const protocol::Exited& exit);
  void forget(WorkerId id);
  /// Removes a dead worker; throws WorkerDied with `reason`, or else with how the process ended, or GivenUp if that was
  /// not its own doing.
  [[noreturn]] void remove_dead(Worker& worker, std::optional<WorkerDied> reason);

  SpawnerClient& spawner_;
  PoolOptions options_;
  std::uint64_t oom_kills_ = 0;  ///< count of its control group when somebody was killed last
  Chores chores_;
  std::map<ProcessKey, Worker> workers_;
  std::set<std::vector<std::string>> have_started_;  ///< command lines whose workers said hello
};

}  // namespace regatta::launcher
