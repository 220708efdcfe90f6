#include "measuring/bridge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/exchange/relay.hpp"
#include "regatta/measure/arms.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using sweep::FailureKind;

constexpr int turns_before_sleep = 8;  // after something moved: the next chunk is near
constexpr double shortest_sleep_seconds = 20e-6;
constexpr double longest_sleep_seconds = 200e-6;

std::vector<exchange::RelayRank> ranks_of(const std::vector<AgentId>& gang, std::uint32_t own,
                                          const protocol::GangJoin& join) {
  expect(join.hosts.size() == join.members.size() && gang.size() >= join.members.size() && own < join.members.size(),
         "each rank of a gang says where it is");
  std::vector<exchange::RelayRank> ranks;
  for (std::size_t rank = 0; rank < join.members.size(); ++rank)
    ranks.push_back({gang[rank], join.members[rank], join.hosts[rank] != join.hosts[own]});
  return ranks;
}

[[noreturn]] void end_arm(FailureKind kind, const std::string& message) {
  throw ArmEnded{sweep::Failed{kind, message}};
}

/// A worker that died since it was prepared, or a node without memory left, is a row and no end of the job.
std::unique_ptr<exchange::Relay> relay_for(const std::vector<AgentId>& gang, std::uint32_t own,
                                           const protocol::GangJoin& join) {
  const exchange::RelayGroup group{join.place.block, join.place.attempt, join.place.arm, join.join};
  try {
    return std::make_unique<exchange::Relay>(group, own, ranks_of(gang, own, join));
  } catch (const InternalError& error) {
    end_arm(FailureKind::reported, fmt::format("cannot exchange gradients between nodes: {}", error.what()));
  }
}

}  // namespace

std::int64_t several_nodes(const std::vector<std::string>& hosts) {
  const std::int64_t nodes = std::ssize(std::set<std::string>(hosts.begin(), hosts.end()));
  return nodes > 1 ? nodes : 0;
}

Bridge::Bridge(AgentSlot& slot, const std::vector<AgentId>& gang, std::uint32_t rank, const protocol::GangJoin& join,
               std::int64_t worker_threads, std::function<void()> stop_own)
    : slot_(slot),
      has_own_core_(std::ssize(slot.pool.options().cpus) > worker_threads),
      relay_(relay_for(gang, rank, join)),
      stop_own_(std::move(stop_own)) {}

Bridge::~Bridge() { slot_.relay->beside = nullptr; }

/// How long whoever waits for the worker may sleep: not at all while others' gradients are due, if that takes no core
/// from the worker.
double Bridge::turn() {
  if (relay_->pump(slot_.relay->transport)) {
    idle_turns_ = 0;
    pause_seconds_ = shortest_sleep_seconds;
  }
  if (was_told() || !relay_->broken().empty()) stop_own_();
  const bool is_near = ++idle_turns_ < turns_before_sleep;
  if (is_near || (has_own_core_ && !relay_->missing().empty())) {
    ::sched_yield();
    return 0;
  }
  return std::exchange(pause_seconds_, std::min(2 * pause_seconds_, longest_sleep_seconds));
}

void Bridge::run(const std::function<void()>& verb) {
  idle_turns_ = 0;
  pause_seconds_ = shortest_sleep_seconds;
  slot_.relay->beside = [this] { return turn(); };
  try {
    verb();
    send_rest();
    slot_.relay->beside = nullptr;
  } catch (...) {
    slot_.relay->beside = nullptr;
    fail();
  }
}

/// The others are told; then the exception that is handled goes on, with what the exchange knows of it.
void Bridge::fail() {
  const std::vector<std::uint32_t> missing = relay_->missing();
  end_waits();
  if (!relay_->broken().empty()) end_arm(FailureKind::protocol, "the exchange between nodes: " + relay_->broken());
  try {
    throw;
  } catch (const WorkerDied& died) {
    if (died.kind != FailureKind::timed_out || missing.empty()) throw;
    throw WorkerDied(died.kind, fmt::format("{} (it waits for gradients of rank{} {} of another node)", died.what(),
                                            missing.size() == 1 ? "" : "s", fmt::join(missing, ", ")));
  }
}

/// The worker has what it needs; others may lack what it summed last.
void Bridge::send_rest() {
  Deadline deadline = Deadline::after(slot_.pool.patience_seconds());
  while (!relay_->is_sent(slot_.relay->transport) && !was_told()) {
    if (deadline.passed())
      end_arm(FailureKind::timed_out,
              fmt::format("other nodes did not take its gradients within {} s (the network between nodes is cut, or a "
                          "node is gone)",
                          slot_.pool.patience_seconds()));
    if (slot_.spawner.gave_up()) throw GivenUp{};
    Deadline soon = Deadline::after(longest_sleep_seconds);
    slot_.spawner.wait_wanted({}, soon);
  }
}

void Bridge::end_waits() {
  stop_own_();
  if (std::exchange(has_ended_, true)) return;
  relay_->poison(slot_.relay->transport);
}

}  // namespace regatta::launcher
