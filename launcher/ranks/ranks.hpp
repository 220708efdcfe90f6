// A rank: agent, journal, the MPI links and what they carry, progress.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measuring/agent_slot.hpp"
#include "measuring/measuring.hpp"
#include "ranks/mpi_link.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/exchange/relay.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

// agent.cpp: An MPI rank's first role: owns one slot, runs the blocks it is granted, one after the other.

/// The agent's link to the coordinator, whether that is another rank or this one.
struct Uplink {
  std::function<void(const protocol::AgentReply&)> send;
  std::function<std::optional<protocol::AgentRequest>()> receive;  ///< does not wait
  std::function<bool()> drain_requested;
  std::function<void(double seconds)> sleeps = [](double) {};  ///< told before the agent sleeps with nothing to do
  GangLink gang = {};
  /// Told that agents of other nodes do not answer any more: the job cannot go on with them. May throw.
  std::function<void(const std::string& why)> cut_off = [](const std::string&) {};
};

/// Runs until the coordinator says Finish and has acknowledged every result.
void run_agent(AgentSlot& slot, const Uplink& uplink, AgentId own, const protocol::AgentReady& greeting);

// failures_told.cpp: Messages about attempts that fail while a run goes on: each error once, and at the end how often
// it came.

class FailuresTold {
 public:
  /// The line for this failure, with the number of the attempt at its arm; nothing if the error was told before.
  std::optional<std::string> line_for(const protocol::AttemptFailed& failed);

  /// A line for each error that came more than once since the last call.
  std::vector<std::string> repeats();

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> attempts_;  ///< by block and arm
  std::map<std::string, std::size_t> again_;                                 ///< after it was told
};

// json_events.cpp: One JSON object a line for programs that watch a run (docs/reference/progress.md).

/// Where events go. A reader that has gone away disturbs nothing.
class EventStream {
 public:
  /// "-" is stderr, digits are an open descriptor of this process, anything else a file or FIFO that is appended to.
  /// Throws InputError.
  explicit EventStream(const std::string& where);

  /// Writes the line and its end with one call, so that others do not write in between.
  void write(std::string_view line);

 private:
  UniqueFd file_;
};

/// The same place as a process that is started by somebody else can open it: a descriptor becomes its path under /proc.
/// Throws InputError if that descriptor is not open.
std::string place_for_others(const std::string& where);

// How many blocks an agent hands to its worker at once: many that are quick, one that is not.

class LotSize {
 public:
  [[nodiscard]] std::size_t blocks() const { return blocks_; }

  /// After a lot of so many blocks: the next one takes about `lot_seconds`, and is at most twice as large. Whatever is
  /// unlike its neighbours may take long, so that what one lot took says little of the next.
  void took(std::size_t blocks, double seconds) {
    const double each_seconds = std::max(seconds / static_cast<double>(blocks), 1e-9);
    const auto affordable = static_cast<std::size_t>(std::min(lot_seconds / each_seconds, 1e6));
    blocks_ = std::clamp<std::size_t>(std::min(affordable, 2 * blocks), 1, most_blocks);
  }

 private:
  static constexpr double lot_seconds = 4e-3;
  static constexpr std::size_t most_blocks = 64;
  std::size_t blocks_ = 1;
};

// mpi_relay.cpp: Chunks of gradients between agents over MPI: point to point, on a communicator of their own, never
// waiting.

class MpiRelay {
 public:
  /// Collective: every rank makes one, or none does. Memory for chunks is taken when the first one is sent or asked
  /// for.
  explicit MpiRelay(const MpiSession& session);
  MpiRelay(MpiRelay&&) noexcept;
  /// Takes its receives back. Chunks on their way then keep their memory to the end of the process.
  ~MpiRelay();

  /// Valid as long as this.
  [[nodiscard]] exchange::RelayTransport transport();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The front of a queue, taken out of it.

template <class Message>
std::optional<Message> take_first(std::deque<Message>& inbox) {
  if (inbox.empty()) return std::nullopt;
  std::optional<Message> first(std::move(inbox.front()));
  inbox.pop_front();
  return first;
}

}  // namespace regatta::launcher
