// Rank 0's second role: schedules, records, acknowledges. Messages and "durable up to n" in, messages and records to
// make durable out; it knows no MPI, file, thread or clock. A result is acknowledged only once its record is durable.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/dispatch/progress.hpp"
#include "regatta/dispatch/store_record.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/schedule/scheduler.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"
#include "regatta/sweep/task_of.hpp"

namespace regatta::dispatch {

struct Outbound {
  AgentId to;
  protocol::AgentRequest message;
};

/// The state of the plan's blocks after earlier sessions.
struct Earlier {
  HashSet finished;             ///< not run again
  std::set<Hash128> continued;  ///< recorded, but measured on
  /// The demand of arms in recorded blocks that run again or go on. Agents with less leave these blocks as they are.
  std::map<Hash128, sweep::Demand> taken = {};
  /// Blocks that have killed their ranks, as far as is known. Each runs last and alone, and one with as many deaths as
  /// a trial has attempts is a failed row.
  std::map<Hash128, results::RankDeaths> deaths = {};
};

/// The known times of a run.
struct Times {
  std::function<schedule::Estimate(const sweep::Block&)> estimate = {};  ///< none: nobody knows
  /// Blocks that would keep nothing by then do not begin.
  double end_wall_seconds = std::numeric_limits<double>::infinity();
};

class Coordinator {
 public:
  /// Sweep and plan must outlive it.
  Coordinator(const sweep::Sweep& sweep, const sweep::Plan& plan, const sweep::RunFacts& facts, Earlier earlier,
              std::uint32_t agents, const Times& times = {});

  /// `wall_seconds` goes into records of blocks that nobody ran.
  void receive(AgentId from, protocol::AgentReply message, double wall_seconds);

  /// Running blocks finish, nothing new is granted.
  void drain();

  /// The first `records` of all records handed out are durable.
  void durable(std::uint64_t records);

  /// Messages to send, in order.
  std::vector<Outbound> take_messages() { return std::exchange(messages_, {}); }

  /// Records to write after all that were taken before.
  std::vector<StoreRecord> take_records() { return std::exchange(records_, {}); }

  /// Blocks that were granted, each with the first agent of its gang, to be written before the records that are taken
  /// next. They tell a reader what runs, and nobody waits for them: they count as no record.
  std::vector<results::GrantedRecord> take_grants() { return std::exchange(grants_, {}); }

  /// Everybody was dismissed and everything recorded is durable.
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool awaits_disk() const { return durable_ < recorded_; }
  [[nodiscard]] const Progress& progress() const { return progress_; }

  /// The time that all blocks were expected to take side by side on the agents, before the first began. NaN where
  /// nobody knows how long some of them take.
  [[nodiscard]] double foretold_seconds() const { return foretold_seconds_; }

  /// Since the last call.
  News take_news() { return std::exchange(news_, {}); }

 private:
  Coordinator(const sweep::Sweep& sweep, const sweep::Plan& plan, const sweep::RunFacts& facts, Earlier&& earlier,
              std::uint32_t agents, double end_wall_seconds, std::vector<schedule::BlockRequest> open);

  struct WaitingAck {
    std::uint64_t records;  ///< records that must be durable first
    AgentId to;
    protocol::Acknowledge ack;
  };

  /// The recorded visits of a block that goes on.
  struct Visits {
    std::uint32_t recorded = 0;
    double seconds = 0;  ///< time of the visits of the present attempt
  };

  void handle(AgentId from, protocol::AgentReady& message);
  void handle(AgentId from, const protocol::BlockStand& message);
  void handle(AgentId from, protocol::BlockResult& message);
  void handle(AgentId from, protocol::AttemptFailed& message);
  void handle(AgentId from, protocol::GivenBack& message);
  void handle(AgentId from, protocol::DeviceLost& message);

  void take_visit(AgentId from, protocol::BlockResult& message);
  [[nodiscard]] results::BlockRecord entry_of(AgentId from, const protocol::BlockResult& message) const;
  [[nodiscard]] std::uint32_t visits_recorded(BlockIndex block) const;
  [[nodiscard]] double visited_seconds(BlockIndex block) const;

  void act(const std::vector<schedule::Action>& actions);
  void act(const schedule::Grant& grant);
  void act(const schedule::Conclude& conclude);
  void act(const schedule::Refuse& refuse);
  void act(const schedule::Dismiss& dismiss);
  schedule::NodeIndex node_of(const protocol::AgentReady& message);
  std::vector<AgentId> by_nodes(std::vector<AgentId> agents);

  /// Whether this is the first that is heard of the attempt's end: what repeats one is not recorded again.
  bool is_news(BlockIndex block, AttemptId attempt);

  void record(StoreRecord record);
  void record_block(BlockToStore block, BlockNews news);
  void fail_deadly_blocks();
  void stop_after_failures();
  void take_from(AgentId agent, BlockIndex block);  ///< from its whole gang, if it has one
  void take_from_one(AgentId agent, BlockIndex block);
  void acknowledge_durable();

  const sweep::Sweep& sweep_;
  const sweep::Plan& plan_;
  sweep::RunFacts facts_;
  Earlier earlier_;
  double foretold_seconds_;
  schedule::Scheduler scheduler_;
  std::uint32_t agents_;
  std::uint32_t dismissed_ = 0;
  bool draining_ = false;
  bool deadly_failed_ = false;  ///< blocks with too many deaths are recorded
  double wall_seconds_ = 0;
  std::vector<AttemptId> ended_;  ///< by block: the last attempt that ended
  std::map<BlockIndex, Visits> visits_;
  std::map<BlockIndex, AgentId> failed_on_;           ///< the agent that tried a block last, of blocks that failed
  std::map<BlockIndex, std::vector<AgentId>> gangs_;  ///< where a granted block has one
  std::map<AgentId, protocol::AgentReady> ready_;
  std::map<std::string, schedule::NodeIndex> nodes_;  ///< by what agents say of their hosts
  std::deque<WaitingAck> waiting_acks_;
  std::uint64_t recorded_ = 0;
  std::uint64_t durable_ = 0;
  std::vector<Outbound> messages_;
  std::vector<StoreRecord> records_;
  std::vector<results::GrantedRecord> grants_;
  Progress progress_;
  News news_;
};

}  // namespace regatta::dispatch
