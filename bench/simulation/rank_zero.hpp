// Rank 0: one thread that is coordinator and agent, as launcher/ranks runs it (message_router.cpp, agent.cpp,
// rank.cpp); a journal that is synced beside it. Coordinator, store and progress are the shipped ones, and what they
// take of the CPU passes on this rank's clock.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "ranks/progress.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/protocol/framing.hpp"
#include "regatta/results/store.hpp"
#include "simulation/seat.hpp"
#include "simulation/world.hpp"

namespace regatta::scale {

class RankZero {
 public:
  struct Ports {
    std::function<void(AgentId, protocol::Frame)> to_agent;  ///< a message arrives there
    std::function<void(const std::vector<AgentId>&, const sweep::BlockTask&)> gang_begins;
    std::function<void(std::size_t done)> blocks_done;  ///< so many of them
  };
  RankZero(World& world, Gangs& gangs, Ports ports);

  void start();
  void signal();

  /// A message reaches this rank.
  void arrive(AgentId from, protocol::Frame frame);

  /// Its agent works in a gang until then.
  void in_gang(double end_seconds);

  /// Nothing is left to do.
  [[nodiscard]] bool left() const { return left_; }
  [[nodiscard]] std::uint64_t recorded() const { return records_of_.size(); }  ///< blocks

  /// How busy it was, and what waited for it, until now.
  void tell(Found& found) const;

 private:
  struct Waiting {
    AgentId from;
    protocol::Frame frame;
    double since_seconds;
  };
  using Then = void (RankZero::*)();

  // The hub.
  void turn(Then then);
  void turn_goes_on();
  void turn_ends();
  double take_message();
  double measured(double& part_seconds, const std::function<void()>& work);
  double linked(double seconds);
  double record(double cost_seconds);
  double send_all(double cost_seconds);
  double send(dispatch::Outbound outbound, double cost_seconds);
  double show(double cost_seconds);
  void begin_sync();

  // Its agent.
  void greet();
  void look();
  void looked();
  void go_on();
  void hear_own();
  double send_own();
  void run_next();
  void slice_goes_on();
  void slice_sleeps();
  void block_ends();
  void finish();
  void finish_goes_on();

  /// Until `end`, or until a look that finds something: after `first_seconds`, then ever more seldom, up to `longest`.
  void sleep(double first_seconds, double longest_seconds, double end, Then then);
  void wake(std::uint64_t sleep);
  void stir();
  [[nodiscard]] bool has_work() const;
  void after(double seconds, Then then);

  World& world_;
  Gangs& gangs_;
  Ports ports_;
  std::uint64_t file_syncs_ = 0;
  results::StoreWriter store_;
  dispatch::Coordinator coordinator_;
  launcher::ProgressPrinter progress_;
  Seat seat_{AgentId{0}};

  std::deque<Waiting> inbox_;
  std::deque<protocol::AgentRequest> own_inbox_;
  std::vector<double> last_sent_seconds_;  ///< by agent: messages of one link arrive in order
  Then then_ = nullptr;
  std::size_t taken_ = 0;  ///< messages in this turn
  bool has_told_ = false;  ///< its agent, something whose answer is still to be handed out
  bool signalled_ = false;
  bool draining_ = false;
  bool left_ = false;

  std::size_t at_ = 0;  ///< in the lot
  double block_end_seconds_ = 0;
  double next_turn_seconds_ = 0;
  double idle_sleep_seconds_ = 0;
  bool news_ = false;

  struct Sleep {
    std::uint64_t number = 0;
    bool now = false;
    bool stirred = false;  ///< it will wake, and when is known
    double from_seconds = 0;
    double first_seconds = 0;
    double longest_seconds = 0;
    Then then = nullptr;
  };
  Sleep sleep_;

  std::uint64_t written_ = 0;
  std::uint64_t durable_ = 0;
  std::uint64_t told_durable_ = 0;
  bool syncing_ = false;

  double cpu_seconds_ = 0;
  Parts parts_;
  double sync_seconds_ = 0;
  double empty_turn_seconds_ = 0;  ///< mean of turns that found nothing
  std::uint64_t empty_turns_ = 0;
  Histogram depths_;
  Histogram waits_;                                        ///< in units of 10 us
  std::unordered_map<Hash128, std::uint32_t> records_of_;  ///< by block
};

}  // namespace regatta::scale
