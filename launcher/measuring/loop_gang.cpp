#include "measuring/loop_gang.hpp"

#include <fmt/format.h>

#include <optional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "launch/launch.hpp"
#include "measuring/measuring.hpp"
#include "measuring/worker_arm.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* meeting_variable = "REGATTA_MEETING";  // read by workers/python/regatta/ranks.py
constexpr double end_seconds = 5;                            // for ranks whose rank 0 has ended
constexpr double stacks_seconds = 1;                         // for rank 0 to print where it stands

class LoopGang final : public ProcessArm {
 public:
  LoopGang(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place, ProgramGroup group)
      : slot_(slot),
        launch_(task.launch),
        place_(group.place),
        own_(make_worker_arm(slot, task, place)),
        others_(slot, std::move(group), sweep::threads_of(task.parameters), Timeouts::attempt) {}

  measure::Prepared prepare() override { return start(); }
  measure::Prepared renew() override { return start(); }
  measure::SliceResult slice(const measure::SliceRequest& request) override {
    return watched([&] { return own_->slice(request); });
  }
  sweep::Learned train(const measure::TrainRequest& request) override {
    return watched([&] {
      sweep::Learned learned = own_->train(request);
      others_.await_others(slot_.pool.options().timeout_seconds);  // they may save their parts of the model
      return learned;
    });
  }
  protocol::Checked check(std::int64_t steps, protocol::CheckAs as) override {
    return watched([&] { return own_->check(steps, as); });
  }
  void park() override { own_->park(); }  // the others wait for it
  void resume() override { own_->resume(); }
  void evict() override {
    own_->evict();
    others_.await_others(end_seconds);
  }
  void release() override { evict(); }  // its processes serve nobody else
  [[nodiscard]] sweep::ArmOutcome report() const override {
    sweep::ArmOutcome told = own_->report();
    const std::size_t nodes = node_count(others_.places());
    if (nodes > 1) sweep::set(told.facts, sweep::Fact::nodes, static_cast<std::int64_t>(nodes));
    return told;
  }
  [[nodiscard]] std::int64_t threads() const override { return own_->threads(); }

 private:
  measure::Prepared start() {
    evict();
    others_.prepare();
    std::vector<Variables> variables = rank_variables(launch_, others_.places(), free_port());
    const std::string meeting =
        fmt::format("{} {} {:08x}", variables.front().at("MASTER_ADDR"), free_port(), std::random_device()());
    for (Variables& each : variables) each[meeting_variable] = meeting;
    others_.start_others(variables);
    asked_at_.reset();
    own_->lead(std::move(variables.front()), [this] { return is_given_up(); });
    return watched([&] { return own_->renew(); });
  }

  /// Once another rank has failed: after a moment in which rank 0 prints where it waits.
  bool is_given_up() {
    if (!others_.has_failed()) return false;
    if (!asked_at_) {
      others_.stop_others();
      asked_at_ = Deadline::after(stacks_seconds);
      if (const auto process = own_->process()) slot_.spawner.tell_stacks(*process);
    }
    return asked_at_->passed();
  }

  /// A verb of rank 0. Throws what is rather the cause where any rank fails.
  template <class Verb>
  std::invoke_result_t<Verb> watched(const Verb& verb) {
    try {
      std::invoke_result_t<Verb> result = verb();
      if (!others_.has_failed()) return result;
    } catch (...) {
      protocol::GangFailed failed = failure_now(place_);
      failed.told = asked_at_.has_value();
      others_.note_own(std::move(failed));
    }
    own_->evict();
    others_.stop_others();
    others_.await_others(0);
    others_.raise_first();
    throw InternalError("a rank failed without a cause");
  }

  AgentSlot& slot_;
  sweep::Launch launch_;
  protocol::GangPlace place_;
  std::unique_ptr<WorkerOfArm> own_;
  ProgramGang others_;
  std::optional<Deadline> asked_at_;  ///< until rank 0 is given up
};

}  // namespace

std::unique_ptr<ProcessArm> make_loop_gang(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place,
                                           ProgramGroup group) {
  return std::make_unique<LoopGang>(slot, task, place, std::move(group));
}

}  // namespace regatta::launcher
