// The planted worker's load: counts of multiplies, without a clock of its own.
#include "support/planted_load.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "regatta/base/error.hpp"
#include "support/multiply_chain.hpp"

namespace regatta::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::int64_t millisecond = 1'000'000;

struct Planted {
  explicit Planted(const std::vector<std::string>& words, std::uint64_t pid = 1)
      : load(parse_planted_options(words), pid, [this] { return now; }) {}

  std::vector<std::int64_t> steps(std::size_t count, std::int64_t step_ns = 0) {
    std::vector<std::int64_t> multiplies;
    for (std::size_t i = 0; i < count; ++i) {
      multiplies.push_back(load.next_step());
      now += step_ns;
    }
    return multiplies;
  }
  /// As after a stop.
  void resume() {
    load.end_slice();
    now += PlantedLoad::resume_gap_ns + 1;
    load.begin_slice(false);
  }

  std::int64_t now = 0;
  PlantedLoad load;
};

TEST(PlantedLoad, EachStepHasTheMultipliesOfItsRepetition) {
  Planted planted({"--multiplies", "100,200,300"});
  EXPECT_THAT(planted.steps(3), Each(100));
  planted.load.prepare(1);
  EXPECT_THAT(planted.steps(3), Each(200));
  planted.load.prepare(7);
  EXPECT_THAT(planted.steps(3), Each(300));
}

TEST(PlantedLoad, ASpeedIsDrawnForEachProcessFromItsSeed) {
  const auto first_step = [](const std::string& seed, std::uint64_t pid) {
    return Planted({"--multiplies", "1000000", "--speed-sigma", "0.01", "--seed", seed}, pid).load.next_step();
  };
  EXPECT_EQ(first_step("1", 10), first_step("1", 10));
  EXPECT_NE(first_step("1", 10), first_step("1", 11));
  EXPECT_NE(first_step("1", 10), first_step("2", 10));
  double sum = 0;
  double squares = 0;
  constexpr int processes = 4000;
  for (std::uint64_t pid = 1; pid <= processes; ++pid) {
    const double speed = std::log(static_cast<double>(first_step("3", pid)) / 1e6);
    sum += speed;
    squares += speed * speed;
  }
  EXPECT_NEAR(sum / processes, 0, 5 * 0.01 / std::sqrt(processes));
  EXPECT_NEAR(std::sqrt(squares / processes), 0.01, 0.001);
}

TEST(PlantedLoad, OneStepInTwentyIsASpike) {
  Planted planted({"--multiplies", "100", "--spikes", "0.05:20"});
  std::int64_t spikes = 0;
  std::int64_t total = 0;
  for (const std::int64_t multiplies : planted.steps(2000)) {
    spikes += multiplies == 2000 ? 1 : 0;
    total += multiplies;
  }
  EXPECT_EQ(spikes, 100);
  EXPECT_EQ(total, 2000 * 195);  // 1.95 times the plain total
}

TEST(PlantedLoad, AfterAResumeItIsSlowForAWhile) {
  Planted planted({"--multiplies", "100", "--slow-after-resume", "5ms"});
  planted.load.begin_slice(false);
  planted.steps(20, millisecond);
  planted.load.end_slice();
  planted.now += PlantedLoad::resume_gap_ns;  // not longer than a pause between two slices of one arm
  planted.load.begin_slice(false);
  EXPECT_THAT(planted.steps(2), Each(100));
  planted.resume();
  EXPECT_THAT(planted.steps(7, millisecond), ElementsAre(200, 200, 200, 200, 200, 100, 100));
}

TEST(PlantedLoad, AfterAResumeSomeStepsAreFree) {
  Planted planted({"--multiplies", "100", "--free-steps", "2"});
  planted.resume();
  EXPECT_THAT(planted.steps(4), ElementsAre(0, 0, 100, 100));
  planted.load.end_slice();
  planted.load.begin_slice(false);
  EXPECT_THAT(planted.steps(2), Each(100));
}

TEST(PlantedLoad, TheFirstSliceIsSlow) {
  Planted planted({"--multiplies", "100", "--slow-first", "1.2:/dev/null"});
  planted.load.begin_slice(true);
  EXPECT_THAT(planted.steps(2), Each(120));
  planted.load.begin_slice(false);
  EXPECT_THAT(planted.steps(2), Each(100));
}

TEST(PlantedLoad, CallsEndOnTheNextPointOfADoublingGrid) {
  const Planted planted({"--lattice", "10us"});
  const auto length = [&](std::int64_t worked_ns) { return planted.load.call_end(500, 500 + worked_ns) - 500; };
  EXPECT_EQ(length(1), 10'000);
  EXPECT_EQ(length(10'000), 10'000);
  EXPECT_EQ(length(10'001), 20'000);
  EXPECT_EQ(length(40'000), 40'000);
  EXPECT_EQ(length(41'000), 80'000);
  EXPECT_EQ(Planted({}).load.call_end(500, 777), 777);
}

TEST(PlantedLoad, JitterScalesAWholeCallAndLeavesItsMeanAsItIs) {
  Planted planted({"--multiplies", "1000000", "--call-jitter", "0.3"});
  double sum = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (int call = 0; call < 1000; ++call) {
    planted.load.begin_call();
    const auto steps = planted.steps(2);
    EXPECT_EQ(steps[0], steps[1]);
    sum += static_cast<double>(steps[0]);
    least = std::min(least, steps[0]);
    most = std::max(most, steps[0]);
  }
  EXPECT_NEAR(sum / 1000, 1e6, 0.03e6);
  EXPECT_GE(least, 700'000);
  EXPECT_LE(most, 1'300'000);
  EXPECT_GT(most - least, 500'000);
}

TEST(PlantedLoad, FoldedStepsDoNothing) { EXPECT_THAT(Planted({"--multiplies", "100", "--fold"}).steps(3), Each(0)); }

TEST(PlantedLoad, WrongOptionsAreNamed) {
  EXPECT_THROW(parse_planted_options({"--speed"}), InputError);
  EXPECT_THROW(parse_planted_options({"--speed", "1"}), InputError);
  EXPECT_THROW(parse_planted_options({"--multiplies", "12,x"}), InputError);
  EXPECT_THROW(parse_planted_options({"--multiplies", "-5"}), InputError);
  EXPECT_THROW(parse_planted_options({"--spikes", "0.05"}), InputError);
  EXPECT_THROW(parse_planted_options({"--lattice", "10"}), InputError);
}

TEST(MultiplyChain, MultipliesAsOftenAsAsked) {
  EXPECT_DOUBLE_EQ(multiply_chain(0), 1.0);
  EXPECT_NEAR(multiply_chain(1'000'000), std::exp(1e-6), 1e-9);
  EXPECT_NEAR(multiply_chain(4'000'000), std::exp(4e-6), 1e-9);
}

}  // namespace
}  // namespace regatta::testing
