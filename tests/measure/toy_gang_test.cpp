// A toy of data-parallel trials: each arm is a gang of three limbs, and the shipped loop measures it as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_block.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

constexpr std::size_t limbs_each = 3;
constexpr std::array<double, limbs_each> wake_seconds = {0.001, 0.030, 0.004};  // from the signal to the first step
constexpr double start_seconds = 5;                                             // for all processes of a gang
constexpr double longest_silence_seconds = 2;  // for a gang that is awake: then it hangs

struct Limb {
  bool lives = false;
  bool awake = false;
  double runs_from = 0;  ///< later than it was woken
};

struct Gang {
  std::array<Limb, limbs_each> limbs;
  double step_seconds = 1e-3;
  double silent_seconds = 0;  ///< awake, since it last answered: parked time is no silence
  double awake_from = 0;
};

struct PlannedDeath {
  ArmIndex arm;
  std::uint32_t scored_slice = 0;  ///< number of this arm's scored slice
  DeathPlace place;
};

class ToyGangs final : public Arms {
 public:
  explicit ToyGangs(const std::vector<double>& step_seconds) : gangs(step_seconds.size()), scored(gangs.size()) {
    for (std::size_t i = 0; i < gangs.size(); ++i) gangs[i].step_seconds = step_seconds[i];
  }

  std::vector<Gang> gangs;
  std::vector<std::uint32_t> scored;  ///< slices of each arm
  std::optional<PlannedDeath> death;
  std::optional<std::uint32_t> drain_after;  ///< scored slices of the first arm
  std::vector<std::string> broken_rules;

  [[nodiscard]] std::int64_t living_limbs() const {
    std::int64_t count = 0;
    for (const Gang& gang : gangs) count += std::ranges::count_if(gang.limbs, &Limb::lives);
    return count;
  }

  Prepared prepare(ArmIndex arm) override { return start(arm); }
  Prepared renew(ArmIndex arm) override { return start(arm); }
  void begin_renewals(const std::vector<ArmIndex>&) override {}
  [[nodiscard]] std::size_t places_beside() const override { return 0; }

  SliceResult slice(ArmIndex arm, const SliceRequest& request) override {
    Gang& gang = gangs[arm.value];
    begin(arm);
    SliceResult result;
    if (request.order.phase == Phase::steady) die_if_planned(arm);
    take_steps(result, arm, request, Phase::reentry, request.order.length.reentry_steps,
               request.order.length.reentry_group);
    take_steps(result, arm, request, request.order.phase, request.order.length.steps, request.order.length.group);
    if (silence(gang) > longest_silence_seconds) {
      end(arm);
      throw ArmDied{arm, sweep::FailureKind::timed_out, "no answer"};
    }
    heard(gang);
    return result;
  }

  sweep::Learned train(ArmIndex, const TrainRequest&) override { return {}; }  // gangs train later

  protocol::Checked check(ArmIndex arm, std::int64_t steps, protocol::CheckAs) override {
    begin(arm);
    now_seconds_ += static_cast<double>(steps) * gangs[arm.value].step_seconds;
    heard(gangs[arm.value]);
    return {arm, {{1.0}}};
  }

  void park(ArmIndex arm) override {
    Gang& gang = gangs[arm.value];
    gang.silent_seconds = silence(gang);
    for (Limb& limb : gang.limbs) limb.awake = false;
  }

  void resume(ArmIndex arm) override { wake(gangs[arm.value]); }
  void evict(ArmIndex arm) override { end(arm); }
  void clear(ArmIndex) override {}
  void release(ArmIndex arm) override { end(arm); }
  [[nodiscard]] sweep::ArmOutcome report(ArmIndex) const override { return {}; }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return std::uint64_t{1} << 40; }
  std::optional<double> core_peak_flops_per_second(Calibrate) override { return std::nullopt; }
  std::optional<DevicePeaks> device_peaks(Calibrate) override { return std::nullopt; }
  [[nodiscard]] bool interrupted() const override { return drain_after && scored.front() >= *drain_after; }
  void tell(const protocol::BlockStand&) override {}
  [[nodiscard]] double now() const override { return now_seconds_; }

 private:
  void wake(Gang& gang) {
    for (std::size_t rank = 0; rank < limbs_each; ++rank)
      gang.limbs[rank] = {gang.limbs[rank].lives, true, now_seconds_ + wake_seconds[rank]};
    gang.awake_from = now_seconds_;
  }

  [[nodiscard]] double silence(const Gang& gang) const {
    return gang.silent_seconds + (gang.limbs.front().awake ? now_seconds_ - gang.awake_from : 0);
  }

  void heard(Gang& gang) const {
    gang.silent_seconds = 0;
    gang.awake_from = now_seconds_;
  }

  Prepared start(ArmIndex arm) {
    Gang& gang = gangs[arm.value];
    for (Limb& limb : gang.limbs) limb.lives = true;
    wake(gang);
    expect_alone(arm);
    now_seconds_ += start_seconds;
    heard(gang);
    return {start_seconds, limbs_each << 20};
  }

  void end(ArmIndex arm) {
    for (Limb& limb : gangs[arm.value].limbs) limb = {};
  }

  void expect_alone(ArmIndex arm) {
    for (std::uint32_t other = 0; other < gangs.size(); ++other) {
      for (const Limb& limb : gangs[other].limbs) {
        const bool runs = limb.lives && limb.awake;
        if (runs != (other == arm.value)) broken_rules.push_back("a limb of arm " + std::to_string(other));
      }
    }
  }

  /// Nobody begins before the last limb runs: what it was late is no time of the slice.
  void begin(ArmIndex arm) {
    expect_alone(arm);
    for (const Limb& limb : gangs[arm.value].limbs) now_seconds_ = std::max(now_seconds_, limb.runs_from);
  }

  void die_if_planned(ArmIndex arm) {
    const std::uint32_t number = scored[arm.value]++;
    if (!death || death->arm != arm || death->scored_slice != number) return;
    end(arm);  // one limb is gone, so the others would wait for ever
    throw ArmDied{arm, sweep::FailureKind::crashed, "killed by signal 9", death->place};
  }

  void take_steps(SliceResult& result, ArmIndex arm, const SliceRequest& request, Phase phase, std::int64_t steps,
                  std::int64_t group) {
    for (std::int64_t left = steps; left > 0; left -= group) {
      const std::int64_t taken = std::min(left, group);
      const double work_seconds = static_cast<double>(taken) * gangs[arm.value].step_seconds;
      double done = now_seconds_;  // by the last limb: each step waits for all of them
      for (const Limb& limb : gangs[arm.value].limbs)
        done = std::max(done, std::max(now_seconds_, limb.runs_from) + work_seconds);
      const double seconds = done - now_seconds_;
      result.samples.push_back({.slice = request.order.slice,
                                .arm = static_cast<std::uint16_t>(arm.value),
                                .phase = phase,
                                .steps = static_cast<std::uint32_t>(taken),
                                .start_seconds = now_seconds_,
                                .seconds = seconds});
      now_seconds_ += seconds;
    }
  }

  double now_seconds_ = 0;
};

BlockOutcome outcome_of(ToyGangs& gangs, double seconds = 60) {
  BlockBudget budget;
  return run_block(gangs, comparison(gangs.gangs.size(), seconds), budget);
}

TEST(ToyGang, IsMeasuredByTheShippedLoop) {
  ToyGangs gangs({1e-3, 1.5e-3});
  const auto result = std::get<protocol::BlockResult>(outcome_of(gangs));
  EXPECT_EQ(result.undecided, 0);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(gangs.broken_rules, std::vector<std::string>()) << "all limbs of one gang, and nobody else";
  EXPECT_EQ(gangs.living_limbs(), 0) << "released";
}

TEST(ToyGang, IsTimedFromItsLastLimbOn) {
  ToyGangs gangs({1e-3, 1e-3});
  const auto result = std::get<protocol::BlockResult>(outcome_of(gangs));
  for (const stats::Sample& sample : result.samples) EXPECT_NEAR(sample.seconds / sample.steps, 1e-3, 1e-9);
}

TEST(ToyGang, OutlivesItsDeadlineWhileItIsParked) {
  static_assert(start_seconds > longest_silence_seconds);
  ToyGangs gangs({1e-3, 1.5e-3, 1e-3});
  EXPECT_TRUE(std::holds_alternative<protocol::BlockResult>(outcome_of(gangs)));
}

TEST(ToyGang, IsGivenUpWhenItSaysNothingForTooLong) {
  ToyGangs gangs({1e-3, 3});
  const auto failed = std::get<protocol::AttemptFailed>(outcome_of(gangs));
  EXPECT_EQ(failed.arm, ArmIndex{1});
  EXPECT_EQ(failed.kind, sweep::FailureKind::timed_out);
}

TEST(ToyGang, NamesRankAndStepOfTheLimbThatDies) {
  ToyGangs gangs({1e-3, 1.5e-3});
  gangs.death = {{1}, 4, {2, 7}};
  const auto failed = std::get<protocol::AttemptFailed>(outcome_of(gangs));
  EXPECT_EQ(failed.arm, ArmIndex{1});
  EXPECT_EQ(failed.message, "rank 2, after 7 steps of the slice: killed by signal 9");
  EXPECT_EQ(gangs.living_limbs(), 0) << "also those of the other gang";
}

TEST(ToyGang, KeepsItsSquaresWhenADrainComesInTheMiddle) {
  ToyGangs gangs({1e-3, 1.5e-3});
  gangs.drain_after = 5;
  const auto result = std::get<protocol::BlockResult>(outcome_of(gangs));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(gangs.scored, (std::vector<std::uint32_t>{6, 6})) << "the third square was completed";
  std::set<std::uint16_t> squares;
  for (const stats::Sample& sample : result.samples)
    if (sample.phase == Phase::steady) squares.insert(sample.square);
  EXPECT_EQ(squares, (std::set<std::uint16_t>{0, 1, 2}));
  EXPECT_EQ(gangs.living_limbs(), 0);
}

}  // namespace
}  // namespace regatta::measure
