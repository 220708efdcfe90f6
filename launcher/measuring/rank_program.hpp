// One process of a command on an agent's slot: how it starts, and its run from start to end.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/launch.hpp"
#include "measuring/agent_slot.hpp"
#include "measuring/process_arm.hpp"

namespace regatta::launcher {

/// How it starts.
struct ProgramStart {
  std::vector<std::string> argv;  ///< with the interpreter that it asks for
  Variables variables;            ///< its trial's, and the files beside it
  std::filesystem::path folder;   ///< in which it runs; empty: the agent's
  OutputFiles output;
};

/// The start of rank `place.rank` of a task that names a command; writes the file of its parameters. Processes that
/// other blocks left warm are stopped. Throws ArmEnded where the interpreter is not here.
ProgramStart program_start(AgentSlot& slot, const sweep::ArmTask& task, const ArmPlace& place);

/// The same of another rank than the first of a loop, whose script talks to rank 0 in place of an agent.
ProgramStart loop_start(AgentSlot& slot, const sweep::ArmTask& task, std::uint32_t rank);

/// The file into which it may write results.
const std::string& results_file(const ProgramStart& start);

/// Removes the files that program_start() wrote, and those that the program wrote beside them.
void remove_files(const ProgramStart& start);

/// The slot as the other ranks are told of it.
RankPlace rank_place(const AgentSlot& slot, std::int64_t threads);

/// Its run; `more` variables count before those of the trial. What the last run left is removed, the folder is not.
protocol::RunProgram request_of(AgentSlot& slot, const ProgramStart& start, sweep::KeptOutput kept,
                                std::vector<int> cpus, const Variables& more);

/// Throws what a run means that did not end with 0: WorkerDied, or ArmEnded with its last words.
void judge_end(WorkerPool& pool, const protocol::Exited& exit);

/// A message with the end of what the program said last: most write their errors to standard error.
std::string with_last_words(std::string message, const protocol::Exited& exit);

/// A run of a rank that others may have to end.
class RankRun {
 public:
  RankRun(AgentSlot& slot, const protocol::RunProgram& request);

  /// How it ended, once it has. Throws ArmEnded if it could not start.
  const std::optional<protocol::Exited>& look();

  /// Ends it: its Python processes print where they stand, a moment later it gets SIGTERM, and after 5 s SIGKILL.
  void end();

  /// It did not end by itself.
  [[nodiscard]] bool was_ended() const { return end_at_.has_value(); }

  /// Sleeps until something may have happened, serving what the agent owes to others.
  void wait();

 private:
  AgentSlot& slot_;
  WorkerId id_;
  std::optional<protocol::Exited> exit_;
  std::optional<Deadline> end_at_;  ///< it has printed its stacks by then
  bool is_told_ = false;            ///< to end
};

}  // namespace regatta::launcher
