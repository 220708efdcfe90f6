// The arms of a block as processes on an agent's slot: workers and programs; calibration, disturbances.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "children/worker_pool.hpp"
#include "measuring/gang_inbox.hpp"
#include "os/wait.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/exchange/relay.hpp"
#include "regatta/measure/arms.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/program_results.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

// checkpoint_name.cpp: The names of a training's checkpoints: trainings that may go on from one another share a name.

/// Where and on what a training runs.
struct TrainedOn {
  std::filesystem::path run_folder;
  std::filesystem::path data;  ///< empty: a loop of the user's own has no file
  std::string environment;
};

/// "0123...cdef.safetensors": a digest of the trial, of what it is trained on and of how far.
std::string checkpoint_name(const sweep::ArmTask& task, const measure::TrainRequest& request, const TrainedOn& on);

// gang_failure.cpp: How a verb of an arm failed in one rank, as its gang is told.

/// Tells the exception that is being handled: ArmEnded, WorkerDied or GivenUp. Any other one goes on.
protocol::GangFailed failure_now(const protocol::GangPlace& place);

/// Whether this failure is rather the cause of both: what one rank's causes in others is none, even if it was told
/// earlier, or by the clock of another node.
bool comes_before(const protocol::GangFailed& a, const protocol::GangFailed& b);

/// By rank: Prepared::arithmetic. Throws ArmEnded where two differ: the bits of a result would depend on which rank
/// takes which samples.
void require_one_arithmetic(const std::vector<std::string>& of_ranks);

// The link between the agents of a gang, whatever carries it.

struct GangLink {
  std::function<void(AgentId to, const protocol::GangMessage&)> send = {};
  /// With what has come by now; it does not wait, and does what else the agent owes to others.
  std::function<GangInbox&()> inbox = {};
  /// Whether all answers were heard by whom they were sent to.
  std::function<bool()> is_heard = {};
};

// An agent's link for exchanging gradients with agents of other nodes.

struct RelayLine {
  exchange::RelayTransport transport = {};
  Chores beside = {};  ///< served while a worker is waited for; empty: nothing is to be done then
};

/// A rank's chores while it waits, with those of its exchange. `line` outlives them.
inline Chores with_relay(Chores chores, const RelayLine& line) {
  return [chores = std::move(chores), &line] {
    const double seconds = chores();
    return line.beside ? std::min(seconds, line.beside()) : seconds;
  };
}

// program_output.cpp: The files that keep what a program printed: logs/TRIAL.out and logs/TRIAL.err.

struct OutputFiles {
  std::string printed;
  std::string complaints;
};

OutputFiles output_files(const std::string& log_folder, const Hash128& trial);
void remove_output(const OutputFiles& files);

/// Writes what is kept of a program's output in place of an earlier run's.
void write_output(const OutputFiles& files, const protocol::Exited& exit);

// shared_checkpoint.cpp: The checkpoint that a training of several nodes goes on from. The agent of rank 0 keeps the
// file. All ranks have to read the same one, or their exchanges would not fit together.

/// The hash of the file; empty: there is none. Throws InputError where it cannot be read.
std::string hash_of_checkpoint(const std::filesystem::path& path);

/// For rank `rank`: waits until the file that its node sees is the one of this hash. Network file systems show what
/// another node wrote some seconds late. Throws ArmEnded after `patience_seconds`.
void require_checkpoint(const std::filesystem::path& path, const std::string& hash, std::uint32_t rank,
                        double patience_seconds);

// sought_results.cpp: Numbers of a program that stand elsewhere than in lines with JSON objects: behind a pattern in
// its output, in a column of a CSV file, under a key of a JSON file.

struct Told;

/// Takes them in. Returns by name why one of them is missing.
std::map<std::string, std::string> take_sources(Told& told, const std::vector<sweep::ResultSource>& sources,
                                                std::string_view printed, const std::filesystem::path& folder);

// told_numbers.cpp: The numbers that a program reports of its run: JSON lines, as {"residual": 1e-6} or {"residual":
// {"value": 1e-6, "unit": "K"}}.

/// By name, whatever that is; the last one wins.
using ToldNumbers = std::map<std::string, sweep::ToldNumber>;

/// Words of a program that look like numbers and were not read.
struct UnreadWords {
  std::size_t broken = 0;                           ///< lines that begin like an object and are no JSON
  std::size_t behind_text = 0;                      ///< lines with an object behind other text
  std::size_t coloured = 0;                         ///< lines with an object between the codes of a terminal's colours
  std::size_t lists = 0;                            ///< lines that are a list of objects
  bool wide = false;                                ///< an object in UTF-16
  std::map<std::string, std::string> members = {};  ///< members of objects: by name, the form that is not read
  bool cut = false;                                 ///< lines with an object were too many to be kept
};

struct Told {
  ToldNumbers numbers = {};
  UnreadWords unread = {};
};

/// Takes in the numbers of all objects, each of which stands in a line or in several that hold nothing else. NaN,
/// Infinity and what C prints for them (nan, -inf, -nan(ind)) are numbers here.
void take_lines(Told& told, std::string_view output);

/// The number in a JSON text under keys and positions with dots between them, as "scores.0.value".
std::optional<double> number_at(std::string_view json, std::string_view path);

/// Keeps a number of a run. A trial whose runs tell units that do not mix has failed: throws ArmEnded.
void note_result(sweep::ProgramResults& results, std::size_t run, const std::string& name,
                 const sweep::ToldNumber& told);

/// "not read: 1 broken JSON object, scores (an object)"; empty where everything was read. Of a
/// program whose `wanted` results are named, other names are left out.
std::string text_of(const UnreadWords& unread, const std::vector<std::string>& wanted);

// work_folder.cpp: The folder of a command's own in which a trial of it runs.

/// Where the arm of a block runs: NAME.trials/BLOCK-ARM beside `run_folder`, which is NAME.regatta, if it is kept; else
/// NAME.regatta/work/BLOCK-ARM. A whole path; empty if the command wants none.
std::filesystem::path work_folder(sweep::WorkFolder kind, const std::filesystem::path& run_folder, const Hash128& block,
                                  ArmIndex arm);

/// Makes it, or empties it. Throws InputError if the file system refuses.
void make_empty(const std::filesystem::path& folder);

// worker_replies.cpp: The meaning of a worker's errors for its arm, and the time at which a request was sent.

/// How an arm fails of which an engine reports this.
sweep::FailureKind kind_of(const protocol::Error& error);

/// Throws ArmEnded: an error that the engine reports is final, because the same request would give the same answer.
/// A checkpoint that Regatta's own workers cannot write is no result of the trial: throws StorageError, and the trial
/// stays open. Others could end a run with it.
[[noreturn]] void end_arm(const protocol::Error& error, WorkerCode code);

/// When what is asked next was sent, on the steady clock, in seconds.
double sent_at(const Worker& worker);

}  // namespace regatta::launcher
