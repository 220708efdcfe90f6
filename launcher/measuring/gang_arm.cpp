#include "measuring/gang_arm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "measuring/bridge.hpp"
#include "measuring/measuring.hpp"
#include "measuring/worker_arm.hpp"
#include "os/poll_pace.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/exchange/member_watch.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using protocol::GangDone;
using protocol::GangFailed;

constexpr double longest_pause_for_answers_seconds = 1e-3;
constexpr double answer_seconds = 30;  // beyond what a worker may take: its agent tells of that

/// The first failure.
struct Failure {
  std::uint32_t rank;
  GangFailed what;
};

void note(std::optional<Failure>& first, Failure failure) {
  if (!first || comes_before(failure.what, first->what)) first = std::move(failure);
}

[[noreturn]] void raise(const Failure& failure) {
  const GangFailed& what = failure.what;
  if (what.gave_up) throw GivenUp{};
  if (what.skips) throw ArmEnded{sweep::Skipped{what.message, what.skip}};
  const std::string message = fmt::format("rank {}: {}", failure.rank, what.message);
  if (what.died) throw WorkerDied(what.kind, message);
  throw ArmEnded{sweep::Failed{what.kind, message}};
}

std::string silence_text(const std::vector<std::size_t>& ranks, double seconds) {
  return fmt::format(
      "no answer of rank{} {} for {:.0f} s (its agent hangs, its node is gone or the network between the nodes is cut)",
      ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "), seconds);
}

/// Whether the ranks exchange in shared memory, which their supervisors can look at.
bool exchanges_in_memory(const sweep::Parameters& parameters) {
  if (sweep::device_kind_of(parameters) != sweep::DeviceKind::cpu) return false;
  return sweep::split_engine(sweep::text_of(parameters, sweep::Param::engine)).engine == "native";
}

void add(protocol::ProcessMemory& sum, const protocol::ProcessMemory& more) {
  sum.peak_bytes += more.peak_bytes;
  sum.resident_bytes += more.resident_bytes;
  sum.warm_bytes += more.warm_bytes;
}

class GangArm final : public ProcessArm {
 public:
  GangArm(AgentSlot& slot, const sweep::BlockTask& task, ArmPlace place, const GangLink& link)
      : slot_(slot),
        link_(link),
        place_{task.block, task.attempt, place.index},
        own_(make_worker_arm(slot, task.arms.at(place.index.value), place)),
        gang_(task.gang),
        is_in_memory_(exchanges_in_memory(task.arms[place.index.value].parameters)) {
    const std::int64_t ranks = integer_or(task.arms[place.index.value].parameters, sweep::Param::ranks, 1);
    expect(std::ssize(task.gang) >= ranks, "a gang has an agent for each rank");
    others_.assign(task.gang.begin() + 1, task.gang.begin() + ranks);
  }

  measure::Prepared prepare() override { return start(false); }
  measure::Prepared renew() override { return start(true); }

  measure::SliceResult slice(const measure::SliceRequest& request) override {
    measure::SliceResult result;
    const std::vector<GangDone> others =
        together(protocol::GangSlice{place_, request.order}, [&] { across([&] { result = own_->slice(request); }); });
    for (const GangDone& other : others) {
      add(result.memory, other.memory);
      if (other.samples.size() != result.samples.size()) continue;
      for (std::size_t i = 0; i < result.samples.size(); ++i) result.samples[i].flags |= other.samples[i].flags;
    }
    return result;
  }

  /// Rank 0 alone keeps the checkpoint and meets the test part.
  sweep::Learned train(const measure::TrainRequest& request) override {
    if (request.leg.purpose == sweep::Purpose::test) return own_->train(request);
    const std::filesystem::path checkpoint = own_->checkpoint_of(request);
    sweep::Learned learned;
    const protocol::GangTrain order{place_, checkpoint.string(), bridge_ ? hash_of_checkpoint(checkpoint) : ""};
    const auto others = together(order, [&] { across([&] { learned = own_->train_from(checkpoint, request); }); });
    for (const GangDone& other : others) learned.peak_bytes += static_cast<double>(other.memory.peak_bytes);
    return learned;
  }

  protocol::Checked check(std::int64_t steps, protocol::CheckAs as) override {
    protocol::Checked checked;
    const auto others =
        together(protocol::GangCheck{place_, steps, as}, [&] { across([&] { checked = own_->check(steps, as); }); });
    for (const GangDone& other : others) {
      for (std::size_t step = 0; step < std::min(checked.losses.size(), other.losses.size()); ++step)
        checked.losses[step].insert(checked.losses[step].end(), other.losses[step].begin(), other.losses[step].end());
    }
    return checked;
  }

  void park() override {
    tell(protocol::GangPause{place_, true}, [&] { own_->park(); });
  }
  void resume() override {
    tell(protocol::GangPause{place_, false}, [&] { own_->resume(); });
  }
  void evict() override {
    tell(protocol::GangRelease{place_, true}, [&] { own_->evict(); });
    bridge_.reset();
  }
  void release() override {
    tell(protocol::GangRelease{place_, false}, [&] { own_->release(); });
    bridge_.reset();
  }
  [[nodiscard]] sweep::ArmOutcome report() const override {
    sweep::ArmOutcome told = own_->report();
    sweep::set(told.facts, sweep::Fact::nodes, nodes_);
    return told;
  }
  [[nodiscard]] std::int64_t threads() const override { return own_->threads(); }

 private:
  measure::Prepared start(bool fresh) {
    measure::Prepared prepared;
    const auto others =
        together(protocol::GangPrepare{place_, fresh}, [&] { prepared = fresh ? own_->renew() : own_->prepare(); });
    protocol::GangJoin join{place_, {own_->member()}, {}, {slot_.memory_domain}, ++joins_};
    std::vector<std::string> arithmetic{own_->arithmetic()};
    for (const GangDone& other : others) {
      prepared.peak_bytes += other.memory.peak_bytes;
      join.members.push_back(other.member);
      join.hosts.push_back(other.host);
      arithmetic.push_back(other.arithmetic);
    }
    require_one_arithmetic(arithmetic);
    watches_.clear();
    nodes_ = several_nodes(join.hosts);
    bridge_.reset();
    stop_.emplace();
    join.stop = stop_->path();
    if (nodes_ == 0)
      join.hosts.clear();
    else if (slot_.relay == nullptr || !is_in_memory_)
      throw ArmEnded{
          sweep::Skipped{"its ranks would be on several nodes or in several containers. Between these, only the engine "
                         "native on cores exchanges gradients. Start more ranks on each node",
                         sweep::SkipKind::not_answerable}};
    join_all(join);
    return prepared;
  }

  void join_all(const protocol::GangJoin& join) {
    try {
      together(join, [&] {
        if (!join.hosts.empty())
          bridge_ = std::make_unique<Bridge>(slot_, gang_, 0, join, own_->threads(), [this] { stop_->set(); });
        own_->join(bridge_ ? bridge_->members() : join.members, join.stop);
      });
      watch(join.members);
    } catch (const ArmEnded& ended) {
      if (std::holds_alternative<sweep::Failed>(ended.outcome)) raise_if_gone(join.members);
      throw;
    }
  }

  /// Whether this agent can open what its ranks offer to each other.
  [[nodiscard]] bool sees_members() const { return nodes_ == 0 && is_in_memory_; }

  void watch(const std::vector<std::string>& members) {
    if (!sees_members()) return;
    for (const std::string& member : members) {
      try {
        watches_.emplace_back(member);
      } catch (const InternalError& error) {
        raise_if_gone(members);
        throw ArmEnded{sweep::Failed{sweep::FailureKind::protocol,
                                     fmt::format("rank {}: what it shares with the others was written over: {}",
                                                 watches_.size(), error.what())}};
      }
    }
  }

  /// Raises the cause of a failed join: a member that cannot be opened belongs to a process that has ended since it was
  /// prepared.
  void raise_if_gone(const std::vector<std::string>& members) {
    watches_.clear();
    if (!sees_members()) return;
    const auto gone =
        std::ranges::find_if(members, [](const std::string& path) { return ::access(path.c_str(), F_OK) != 0; });
    if (gone == members.end()) return;
    throw WorkerDied(sweep::FailureKind::crashed,
                     fmt::format("rank {}: its process ended while the ranks joined", gone - members.begin()));
  }

  /// A verb of the own worker in which it exchanges gradients.
  void across(const std::function<void()>& verb) { bridge_ ? bridge_->run(verb) : verb(); }

  /// The verb in all ranks at once. Throws what went wrong first, after all have answered.
  template <class Own>
  std::vector<GangDone> together(const protocol::GangMessage& order, const Own& own) {
    std::optional<Failure> first = begin_all(order, own);
    std::vector<GangDone> answers = answers_of_others(first);
    if (first) raise(placed(std::move(*first)));
    return answers;
  }

  /// With the step and bucket in which its rank stood. Where several ranks gave no answer in time, the cause is the one
  /// that is behind: the others waited for it. Words that were written over tell no place.
  [[nodiscard]] Failure placed(Failure failure) const {
    if (watches_.empty() || failure.what.gave_up || failure.what.skips) return failure;
    const auto standing = [&](std::size_t rank) { return watches_[rank].standing(); };
    if (failure.what.kind == sweep::FailureKind::timed_out) {
      if (const auto wild = exchange::written_over(watches_)) {
        const std::uint64_t step_of_others = standing(*wild == 0 ? 1 : 0).step;
        failure.rank = static_cast<std::uint32_t>(*wild);
        failure.what.message += "; " + exchange::written_over_text(*wild, watches_[*wild].furthest(), step_of_others);
        return failure;
      }
      for (std::uint32_t rank = 0; rank < watches_.size(); ++rank)
        if (standing(rank) < standing(failure.rank)) failure.rank = rank;
    }
    const exchange::Standing at = standing(failure.rank);
    failure.what.message += fmt::format(" (in its step {}, before bucket {} of {} was written)", at.step, at.bucket,
                                        watches_[failure.rank].buckets());
    return failure;
  }

  /// The same where a failure shows again later.
  template <class Own>
  void tell(const protocol::GangMessage& order, const Own& own) {
    std::optional<Failure> first = begin_all(order, own);
    answers_of_others(first);
  }

  template <class Own>
  std::optional<Failure> begin_all(const protocol::GangMessage& order, const Own& own) {
    order_seconds_ = steady_seconds();
    for (const AgentId other : others_) link_.send(other, order);
    std::optional<Failure> first;
    try {
      own();
    } catch (...) {
      first = Failure{0, failure_now(place_)};
      first->what.told = bridge_ && bridge_->was_told();
      end_waits();
    }
    return first;
  }

  void end_waits() {
    if (stop_) stop_->set();
    if (bridge_) bridge_->end_waits();
  }

  /// In the order of ranks.
  std::vector<GangDone> answers_of_others(std::optional<Failure>& first) {
    std::vector<GangDone> answers(others_.size());
    std::vector<bool> answered(others_.size(), false);
    if (!slot_.cut_off.empty()) return answers;
    // A worker may take this long, and the others began as the own one did.
    const double left_seconds = slot_.pool.options().timeout_seconds - (steady_seconds() - order_seconds_);
    Deadline deadline = Deadline::after(std::max(left_seconds, 0.0) + answer_seconds);
    PollPace pace(longest_pause_for_answers_seconds);
    for (std::size_t missing = others_.size(); missing > 0;) {
      auto incoming = link_.inbox().answer();
      if (!incoming) {
        if (deadline.passed()) give_up_silent(answered, first);
        pace.pause();
        continue;
      }
      if (const auto at = take(*incoming, answers, first)) {
        answered[*at] = true;
        --missing;
      }
    }
    return answers;
  }

  /// Their agents are cut off, or hang: the job cannot go on with them.
  [[noreturn]] void give_up_silent(const std::vector<bool>& answered, const std::optional<Failure>& first) {
    std::vector<std::size_t> silent;
    for (std::size_t i = 0; i < answered.size(); ++i) {
      if (!answered[i]) silent.push_back(i + 1);
    }
    slot_.cut_off = silence_text(silent, steady_seconds() - order_seconds_);
    std::string message = slot_.cut_off;
    if (first) message += fmt::format("; rank {} says: {}", first->rank, first->what.message);
    throw WorkerDied(sweep::FailureKind::timed_out, message);
  }

  /// The rank that answers the order, counted among the others; nothing if the message is no answer.
  std::optional<std::size_t> take(GangIncoming& incoming, std::vector<GangDone>& answers,
                                  std::optional<Failure>& first) {
    const auto other = std::ranges::find(others_, incoming.from);
    if (other == others_.end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(other - others_.begin());
    if (auto* done = std::get_if<GangDone>(&incoming.message); done != nullptr && done->place == place_) {
      answers[at] = std::move(*done);
      return at;
    }
    auto* failed = std::get_if<GangFailed>(&incoming.message);
    if (failed == nullptr || failed->place != place_) return std::nullopt;
    note(first, {static_cast<std::uint32_t>(at + 1), std::move(*failed)});
    end_waits();
    return at;
  }

  AgentSlot& slot_;
  const GangLink& link_;
  protocol::GangPlace place_;
  std::unique_ptr<WorkerOfArm> own_;
  const std::vector<AgentId>& gang_;
  bool is_in_memory_;            ///< its engine exchanges gradients there
  std::vector<AgentId> others_;  ///< rank 1, 2, ...
  std::optional<exchange::Stop> stop_;
  std::vector<exchange::MemberWatch> watches_;  ///< by rank, once they have joined; empty: nobody can look
  std::unique_ptr<Bridge> bridge_;              ///< where its ranks are on several nodes
  std::uint32_t joins_ = 0;
  std::int64_t nodes_ = 0;    ///< nodes that its ranks are on; 0: one
  double order_seconds_ = 0;  ///< when the last order went out
};

}  // namespace

std::unique_ptr<ProcessArm> make_gang_arm(AgentSlot& slot, const sweep::BlockTask& task, ArmPlace place,
                                          const GangLink& link) {
  place.rank = 0;
  return std::make_unique<GangArm>(slot, task, place, link);
}

void end_gang(const std::vector<AgentId>& gang, BlockIndex block, AttemptId attempt, const GangLink& link) {
  for (std::size_t i = 1; i < gang.size(); ++i) link.send(gang[i], protocol::GangEnd{{block, attempt, {0}}});
}

}  // namespace regatta::launcher
