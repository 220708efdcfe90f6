// Rank 0's second role: schedules, records, acknowledges. Messages in, messages out; it knows no MPI.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "job/open_blocks.hpp"
#include "os/sync_thread.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/results/store.hpp"
#include "regatta/schedule/scheduler.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

struct Outbound {
  AgentId to;
  protocol::AgentRequest message;
};

/// How far a run is. A trial in several blocks counts with its first.
struct Progress {
  std::size_t blocks = 0;                             ///< of the plan
  std::size_t blocks_done = 0;                        ///< those of earlier sessions included
  std::size_t failed_arms = 0;                        ///< in this session
  std::size_t undecided = 0;                          ///< comparisons without a verdict, in this session
  std::map<AgentId, std::deque<BlockIndex>> granted;  ///< in the order in which they are run: the first one runs
};

/// A block that is done.
struct BlockNews {
  BlockIndex block;
  std::optional<AgentId> agent;  ///< nobody: it was given up or refused
  double seconds = 0;
  std::size_t failed_arms = 0;
  std::size_t undecided = 0;
};

class Coordinator {
 public:
  Coordinator(const sweep::Sweep& sweep, const sweep::Plan& plan, results::StoreWriter& store, const OpenBlocks& open,
              std::uint32_t agents);

  void receive(AgentId from, const protocol::AgentReply& message);

  /// Running blocks finish, nothing new is granted.
  void drain();

  /// Acknowledges what has become durable. Throws StorageError once the disk failed.
  void turn();

  /// Messages to send, in order.
  std::vector<Outbound> take_outgoing() { return std::exchange(outgoing_, {}); }

  /// Everybody was dismissed and everything recorded is durable.
  [[nodiscard]] bool done() const { return dismissed_ == agents_ && waiting_acks_.empty(); }
  [[nodiscard]] bool awaits_disk() const { return !waiting_acks_.empty(); }
  [[nodiscard]] const Progress& progress() const { return progress_; }

  /// Blocks that were done since the last call.
  std::vector<BlockNews> take_news() { return std::exchange(news_, {}); }

 private:
  struct WaitingAck {
    std::uint64_t generation;
    std::optional<Outbound> ack;  ///< nothing for records that no agent waits for
  };

  void handle(AgentId from, const protocol::AgentReady& message);
  void handle(AgentId from, const protocol::BlockResult& message);
  void handle(AgentId from, const protocol::AttemptFailed& message);
  void handle(AgentId from, const protocol::GivenBack& message);

  void act(const std::vector<schedule::Action>& actions);
  void act(const schedule::Grant& grant);
  void act(const schedule::Conclude& conclude);
  void act(const schedule::Refuse& refuse);
  void act(const schedule::Dismiss& dismiss);

  void record(const results::BlockRecord& record, std::span<const stats::Sample> samples, BlockNews news);
  void take_from(AgentId agent, BlockIndex block);
  void sync_then(std::optional<Outbound> ack);

  const sweep::Plan& plan_;
  results::StoreWriter& store_;
  schedule::Scheduler scheduler_;
  std::set<Hash128> continued_;
  std::set<Hash128> again_;
  std::uint32_t agents_;
  std::uint32_t dismissed_ = 0;
  std::set<std::pair<BlockIndex, AttemptId>> recorded_;
  std::map<AgentId, results::AgentRecord> agent_records_;
  std::deque<WaitingAck> waiting_acks_;
  std::uint64_t generation_ = 0;
  std::vector<Outbound> outgoing_;
  Progress progress_;
  std::vector<BlockNews> news_;
  SyncThread sync_;
};

}  // namespace regatta::launcher
