// The agent's side of the link to its spawner.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "children/children.hpp"
#include "os/frame_socket.hpp"
#include "os/wait.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

/// The program does not exist or cannot be executed.
struct CouldNotStart : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A child was killed because nobody wanted its answer any more.
struct GivenUp {};

struct StartedWorker {
  pid_t pid = -1;
  UniqueFd link;   ///< the agent's end
  UniqueFd pidfd;  ///< readable once the process is dead
};

/// A spawner that is killed or stopped takes its children with it: each of them ends, and the keeper's next one serves.
class SpawnerClient {
 public:
  SpawnerClient(
      SpawnerKeeper keeper, Chores chores, GaveUp gave_up = [] { return false; });

  /// A number no other child of this agent had.
  WorkerId next_id() { return {next_id_++}; }

  /// Starts a worker. Throws CouldNotStart, or WorkerDied if the spawner ended meanwhile.
  StartedWorker spawn(const protocol::SpawnWorker& request);

  /// Runs a program to its end, or ends it after `timeout_seconds`: SIGTERM, after 5 s SIGKILL, and steps that it began
  /// with srun are cancelled and gone when this returns. `timed_out` tells which.
  /// Throws CouldNotStart, WorkerDied or GivenUp.
  protocol::Exited run(const protocol::RunProgram& request, double timeout_seconds, bool& timed_out);

  /// Starts a program and returns at once; take_exit() tells how it ended, or throws CouldNotStart.
  void begin(const protocol::RunProgram& request) { ask_for(request.worker, request); }

  /// SIGTERM; what is left of the program after `patience_seconds` is killed. take_exit() tells when it is gone.
  void ask_to_end(WorkerId program, double patience_seconds) { tell(protocol::EndProgram{program, patience_seconds}); }

  void kill(WorkerId worker);

  /// Has its Python processes print where they stand, before they are killed.
  void tell_stacks(WorkerId worker) { tell(protocol::TellStacks{worker}); }

  void pause(WorkerId worker, bool stopped);

  /// How a child ended, if that has been reported; each exit is handed out once.
  std::optional<protocol::Exited> take_exit(WorkerId worker);

  /// The same, waiting. Throws InternalError after `timeout_seconds`: the slot cannot be used any more.
  protocol::Exited wait_exit(WorkerId worker, double timeout_seconds);

  [[nodiscard]] int fd() const { return link_.fd(); }

  /// For waits that are for a child's work.
  [[nodiscard]] bool gave_up() const { return gave_up_(); }

  /// Throws GivenUp if nobody wants to know how this child ended. One that was ended by SIGTERM may have been told by
  /// whoever ends this rank, too, so that is waited for a moment.
  void expect_wanted(const protocol::Exited& exit) const;

  /// As wait_readable, but ends also when nobody wants the answer any more.
  bool wait_wanted(const std::vector<int>& fds, Deadline& deadline) const;

  /// Time in which this process was stopped while it waited for its children, in all: a batch system suspended the job,
  /// or a laptop slept. A stop is seen if it took two seconds or more.
  [[nodiscard]] double stopped_seconds() const { return stopped_seconds_; }

 private:
  protocol::Exited end(WorkerId program, double patience_seconds);
  protocol::Exited end_with_steps(WorkerId program);
  void ask_for(WorkerId worker, const protocol::SpawnerRequest& request);
  /// Throws CouldNotStart if the answer says so.
  void expect_start(WorkerId worker, const protocol::SpawnerReply& reply);
  protocol::SpawnerReply next_start_reply(WorkerId worker);
  void tell(const protocol::SpawnerRequest& request);
  void receive();
  FrameSocket next_spawner();
  void replace_spawner();

  Chores chores_;
  GaveUp gave_up_;
  FrameSocket keeper_;
  FrameSocket link_;                    ///< to the keeper's last spawner
  mutable double stopped_seconds_ = 0;  ///< waits that are const add to it
  std::set<WorkerId> children_;         ///< workers whose ends that spawner has not told
  std::uint32_t next_id_ = 1;
  std::map<WorkerId, protocol::Exited> exits_;
  std::map<WorkerId, protocol::SpawnerReply> starts_;
};

}  // namespace regatta::launcher
