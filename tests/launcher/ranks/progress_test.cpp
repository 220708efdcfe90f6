#include "ranks/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "regatta/base/clock.hpp"
#include "regatta/base/files.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Job two_blocks() {
  Job job;
  job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s",
    "axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [1, 8]},
    "compare": {"over": ["mode"], "baseline": {"mode": "graph"}}, "measure": {"per_contrast": "10s", "again": false}})",
                                 "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

Progress progress_of(const Job& job, std::size_t done) {
  Progress progress;
  progress.blocks = job.plan.blocks.size();
  progress.blocks_done = done;
  if (done < progress.blocks) progress.granted[{0}] = {BlockIndex{static_cast<std::uint32_t>(done)}};
  return progress;
}

class ProgressTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return (folder_ / "events").string(); }
  [[nodiscard]] std::vector<nlohmann::json> events() const {
    std::istringstream lines(read_file(file()));
    std::vector<nlohmann::json> all;
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  [[nodiscard]] std::vector<std::string> kinds() const {
    std::vector<std::string> names;
    for (const auto& event : events()) names.push_back(event.at("event"));
    return names;
  }

  support::TemporaryFolder folder_;
};

TEST(ProgressText, IsABarWithCountsTimeAndWhatRuns) {
  const Progress progress{20, 12, 1, 2, {}};
  EXPECT_EQ(bar_text({progress, 31, 19.6, "digits-mlp batch 32"}, 200),
            "[############........] 12/20 blocks  1 failed  2 undecided  31 s  about 20 s left  digits-mlp batch 32");
  EXPECT_EQ(bar_text({progress, 31, std::nullopt, ""}, 30).size(), 30U);
}

TEST(ProgressText, FillsTheBarByTimeSinceBlocksThatTakeTurnsEndTogether) {
  EXPECT_THAT(bar_text({Progress{3, 0, 0, 0, {}}, 60, 20.0, ""}, 200), HasSubstr("[###############.....] 0/3 blocks"));
  EXPECT_THAT(bar_text({Progress{3, 3, 0, 0, {}}, 80, 0.0, ""}, 200), HasSubstr("[####################] 3/3 blocks"));
  EXPECT_THAT(bar_text({Progress{4, 1, 0, 0, {}}, 9, std::nullopt, ""}, 200), HasSubstr("[#####...............] 1/4"));
}

TEST(ProgressText, IsALineElsewhere) {
  const Progress progress{20, 12, 0, 2, {}};
  EXPECT_EQ(line_text({progress, 31, 600.0, "batch 32"}),
            "12 of 20 blocks done, 0 failed, 2 undecided, 31 s, about 10 min left; now batch 32");
  EXPECT_EQ(line_text({progress, 31, std::nullopt, "batch 32"}),
            "12 of 20 blocks done, 0 failed, 2 undecided, 31 s, time left not known yet; now batch 32");
  EXPECT_EQ(line_text({progress, 31, std::nullopt, ""}), "12 of 20 blocks done, 0 failed, 2 undecided, 31 s");
}

TEST(ProgressText, NamesThePassOnceThereIsMoreThanOne) {
  const Progress progress{20, 12, 0, 2, {}};
  EXPECT_EQ(line_text({progress, 31, 5.0, "batch 32", 0, {2, 4}}),
            "pass 2 of at most 4: 12 of 20 blocks done, 0 failed, 2 undecided, 31 s, about 5 s left; now batch 32");
  EXPECT_EQ(bar_text({progress, 31, 5.0, "batch 32", 0, {2, 4}}, 200),
            "[#################...] pass 2 of at most 4  12/20 blocks  0 failed  2 undecided  31 s  about 5 s left  "
            "batch 32");
}

TEST(ProgressText, TellsHowFarABlockIs) {
  protocol::BlockStand stand{{0}, {1}, 7, 3};
  EXPECT_EQ(stand_text(stand), "3 of 7 arms prepared");
  stand.prepared = 7;
  stand.piloted = 2;
  EXPECT_EQ(stand_text(stand), "2 of 7 arms piloted");
  stand.piloted = 7;
  stand.pair = 3;
  stand.pairs = 6;
  stand.squares = 5;
  EXPECT_EQ(stand_text(stand), "pair 3 of about 6, 5 squares");
  stand.starts = true;
  EXPECT_EQ(stand_text(stand), "starting pair 3 of about 6, 5 squares");
  EXPECT_EQ(stand_text({{0}, {1}, 1, 1, 1, 1, 1, false, 1}), "1 square");
}

TEST(ProgressText, NeverSaysZeroSecondsWhileSomethingRuns) {
  Progress progress;
  progress.blocks = 20;
  progress.blocks_done = 12;
  EXPECT_EQ(line_text({progress, 31, 0.0, "batch 32", 60}),
            "12 of 20 blocks done, 0 failed, 0 undecided, 31 s, 60 s longer than estimated; now batch 32");
  EXPECT_EQ(line_text({progress, 31, 0.2, "batch 32", 0}),
            "12 of 20 blocks done, 0 failed, 0 undecided, 31 s, almost done; now batch 32");
}

TEST(ProgressText, SaysHowFarABlockIsOverItsEstimate) {
  const Progress progress{20, 12, 0, 2, {}};
  EXPECT_EQ(
      line_text({progress, 31, 5.0, "batch 32", 12.4}),
      "12 of 20 blocks done, 0 failed, 2 undecided, 31 s, about 5 s left; now batch 32, 12 s longer than estimated");
  EXPECT_EQ(bar_text({progress, 31, 5.0, "batch 32", 12.4}, 200),
            "[#################...] 12/20 blocks  0 failed  2 undecided  31 s  about 5 s left  12 s longer than "
            "estimated  batch 32");
}

TEST(ProgressText, SaysWhereOtherProgramsTakeTheCores) {
  ProgressText text{{20, 12, 0, 2, {}}, 31, 5.0, "batch 32"};
  text.others = OthersUse{0.71, "cc1plus"};
  EXPECT_EQ(
      line_text(text),
      "12 of 20 blocks done, 0 failed, 2 undecided, 31 s, about 5 s left; now batch 32; other programs use 71 % of "
      "these cores (most: cc1plus)");
  EXPECT_THAT(bar_text(text, 200), HasSubstr("left  other programs use 71 % of these cores (most: cc1plus)  batch 32"));
}

TEST_F(ProgressTest, TellsProgramsWhatOthersTakeOfTheCores) {
  const Job job = two_blocks();
  OthersSeen seen;
  ProgressPrinter printer(job, {}, {0, file()}, {}, [&](double) { return seen; });
  printer.show(progress_of(job, 1), {});
  seen.use = OthersUse{0.25, "cc1plus"};
  printer.show(progress_of(job, 2), {});  // the last one is told at once
  const auto all = events();
  EXPECT_EQ(all.at(2).at("others_share"), nullptr) << "not known yet";
  EXPECT_EQ(all.at(2).at("others_worst"), nullptr);
  EXPECT_EQ(all.back().at("others_share"), 0.25);
  EXPECT_EQ(all.back().at("others_worst"), "cc1plus");
}

TEST_F(ProgressTest, SaysOnceInASentenceThatTheMachineIsBusy) {
  const Job job = two_blocks();
  bool is_news = true;
  ProgressPrinter printer(job, {}, {0, "", true}, {}, [&](double) {
    return OthersSeen{OthersUse{0.5, "cc1plus"}, std::exchange(is_news, false)};
  });
  testing::internal::CaptureStderr();
  printer.show(progress_of(job, 0), {});
  printer.show(progress_of(job, 0), {});
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(told, "regatta: warning: " + busy_sentence({0.5, "cc1plus"}) + "\n");
}

TEST_F(ProgressTest, TellsProgramsWhatStartsAndWhatIsDone) {
  const Job job = two_blocks();
  ProgressPrinter printer(job, {}, {0, file()}, {});
  printer.show(progress_of(job, 0), {});
  printer.show(progress_of(job, 0), {});  // nothing new, and less than a second later
  printer.show(progress_of(job, 1), {.done = {{BlockIndex{0}, AgentId{0}, 2.5, 0, 1}}});
  printer.show(progress_of(job, 2), {.done = {{BlockIndex{1}, std::nullopt, 0, 2, 0}}});
  ASSERT_THAT(kinds(), ElementsAre("start", "block_started", "progress", "block_done", "block_started", "block_done",
                                   "progress"));
  const auto all = events();
  EXPECT_EQ(all[0].at("sweep"), "s");
  EXPECT_EQ(all[0].at("blocks"), 2);
  EXPECT_EQ(all[1].at("setting"), "batch 1");
  EXPECT_EQ(all[1].at("arms").size(), job.plan.blocks[0].arms.size());
  EXPECT_EQ(all[0].at("pass"), 1);
  EXPECT_EQ(all[2].at("left_seconds"), nullptr) << "nothing is known yet";
  EXPECT_EQ(all[3].at("seconds"), 2.5);
  EXPECT_EQ(all[3].at("undecided"), 1);
  EXPECT_EQ(all[5].at("agent"), nullptr);  // it was given up
  EXPECT_EQ(all[6].at("blocks_done"), 2);
  EXPECT_EQ(all[6].at("left_seconds"), 0);
}

protocol::BlockStand in_third_pair(double left_seconds) {
  return {.block = {0},
          .attempt = {1},
          .arms = 7,
          .prepared = 7,
          .piloted = 7,
          .pair = 3,
          .pairs = 6,
          .squares = 5,
          .left_seconds = left_seconds};
}

TEST_F(ProgressTest, TellsHowFarABlockIsAndTrustsWhatItForetells) {
  const Job job = two_blocks();  // alike
  ProgressPrinter printer(job, {}, {0, file()}, {});
  printer.show(progress_of(job, 0), {.stands = {{AgentId{0}, in_third_pair(60)}}});
  const auto progress = events().at(2);
  EXPECT_NEAR(progress.at("left_seconds").get<double>(), 120, 1) << "the second block takes as long as the first";
  EXPECT_LT(progress.at("over_seconds"), 0.5);
  const auto& running = progress.at("running").at(0);
  EXPECT_EQ(running.at("agent"), 0);
  EXPECT_EQ(running.at("block"), 0);
  EXPECT_EQ(running.at("pair"), 3);
  EXPECT_EQ(running.at("squares"), 5);
}

TEST_F(ProgressTest, ForgetsWhatAnEarlierBlockTold) {
  const Job job = two_blocks();
  ProgressPrinter printer(job, {}, {0, file()}, {});
  printer.show(progress_of(job, 0), {});
  printer.show(progress_of(job, 1), {.stands = {{AgentId{0}, in_third_pair(60)}}});
  printer.show(progress_of(job, 2),
               {.done = {{BlockIndex{0}, AgentId{0}, 2.5, 0, 1}, {BlockIndex{1}, AgentId{0}, 2.5, 0, 1}}});
  const auto last = events().back();
  EXPECT_EQ(last.at("event"), "progress");
  EXPECT_TRUE(last.at("running").empty());
}

TEST_F(ProgressTest, IsNotDoneBeforeTheLongestBlockThatRuns) {
  const Job job = two_blocks();
  ProgressPrinter printer(job, {}, {0, file()}, {});
  Progress progress = progress_of(job, 0);
  progress.granted[{1}] = {BlockIndex{1}};
  protocol::BlockStand second = in_third_pair(2);
  second.block = {1};
  printer.show(progress, {.stands = {{AgentId{0}, in_third_pair(60)}, {AgentId{1}, second}}});
  EXPECT_NEAR(events().at(3).at("left_seconds").get<double>(), 60, 1);
}

TEST_F(ProgressTest, CountsOnlyWhatIsStillToBeRunAsLeft) {
  const Job job = two_blocks();
  ProgressPrinter whole(job, {}, {0, file()}, {});
  whole.show(progress_of(job, 0), {.stands = {{AgentId{0}, in_third_pair(60)}}});
  ProgressPrinter half(job, {job.plan.blocks[1].hash}, {0, file()}, {});
  half.show(progress_of(job, 0), {.stands = {{AgentId{0}, in_third_pair(60)}}});
  const auto all = events();
  EXPECT_NEAR(all.at(2).at("left_seconds").get<double>(), 120, 1);
  EXPECT_NEAR(all.at(5).at("left_seconds").get<double>(), 60, 1);
}

double left_of(const Job& job, const std::string& file) {
  ProgressPrinter printer(job, {}, {0, file}, {.run_start_seconds = steady_seconds()});
  printer.show(progress_of(job, 0), {.stands = {{AgentId{0}, in_third_pair(60)}}});
  std::istringstream lines(read_file(file));
  double left = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line);
    if (event.contains("left_seconds")) left = event.at("left_seconds").get<double>();
  }
  return left;
}

TEST_F(ProgressTest, CountsTheBestThatAreMeasuredAgainAndNoMoreThanTheTotal) {
  const auto nine_cells = [](const std::string& measure) {
    Job job;
    job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "n", "axes": {"model": "mlp-10",
      "batch": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "compare": {"over": ["batch"], "baseline": {"batch": 1}},
      "measure": {"per_contrast": "10s", )" +
                                       measure + "}}",
                                   "n.json", sweep::any_environment());
    job.plan = sweep::make_plan(job.sweep);
    return job;
  };
  const double once = left_of(nine_cells(R"("again": false)"), file());
  const double again = left_of(nine_cells(R"("again": true)"), file());
  EXPECT_GT(again, 1.2 * once);
  EXPECT_LE(left_of(nine_cells(R"("total": "70s")"), file()), 70);
}

}  // namespace
}  // namespace regatta::launcher
