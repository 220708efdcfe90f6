#include "regatta/results/test_openings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "regatta/results/file.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

class OpeningsOfTheTestPart : public testing::Test {
 protected:
  support::TemporaryFolder folder;

  static TrainingSweep searching(const std::string& name, const std::string& dataset = "digits") {
    const std::string text = R"({"regatta": 1, "name": ")" + name + R"(", "task": "train", "axes": {"model": {"name":
      "small", "input": [64], "layers": [{"dense": 10, "activation": "softmax"}], "loss":
      "sparse_categorical_crossentropy", "optimizer": {"adam": {"learning_rate": 0.001}}}, "dataset": ")" +
                             dataset + R"("}, "train": {"epochs": 1, "seeds": 2},
      "objective": {"metric": "validation_accuracy"}, "search": {"kind": "full"}})";
    TrainingSweep made;
    made.sweep = sweep::parse_sweep(text, "s.json", sweep::any_environment());
    made.plan = sweep::make_plan(made.sweep);
    return made;
  }

  /// A pass that hands out the first leg of this purpose, and is then killed or records it.
  void pass(const TrainingSweep& made, sweep::Purpose purpose, bool is_killed = false) {
    StoreWriter writer(folder / (made.sweep.name + ".regatta"), made.sweep, made.plan,
                       sample_provenance(made.sweep.text), 0.05);
    writer.agent(sample_agent());
    const auto block =
        std::ranges::find_if(made.plan.blocks, [&](const auto& each) { return each.leg->purpose == purpose; });
    ASSERT_NE(block, made.plan.blocks.end());
    writer.granted(block->hash, {1}, {1});
    if (is_killed) return writer.sync();
    writer.result(trained_block(made.plan, block->index, learned(0.5)), {});
    writer.end_session();
  }

  [[nodiscard]] TestOpenings openings(const std::string& name) const {
    return test_openings(folder / (name + ".regatta"));
  }
};

TEST_F(OpeningsOfTheTestPart, ArePassesThatHandOutATest) {
  const TrainingSweep made = searching("a");
  pass(made, sweep::Purpose::search);
  pass(made, sweep::Purpose::fresh);
  EXPECT_EQ(openings("a"), (TestOpenings{0, 0}));
  pass(made, sweep::Purpose::test);
  EXPECT_EQ(openings("a").passes, 1);
  pass(made, sweep::Purpose::again);
  EXPECT_EQ(openings("a").passes, 1);
}

TEST_F(OpeningsOfTheTestPart, CountThoseThatWereKilledAndThoseThatGoOn) {
  const TrainingSweep made = searching("a");
  pass(made, sweep::Purpose::test, true);
  EXPECT_EQ(openings("a").passes, 1) << "somebody may have seen it";
  pass(made, sweep::Purpose::test);
  EXPECT_EQ(openings("a").passes, 2);
}

TEST_F(OpeningsOfTheTestPart, AreThoseOfOtherSweepsOfTheSameDataToo) {
  pass(searching("a"), sweep::Purpose::test);
  pass(searching("b"), sweep::Purpose::test);
  pass(searching("b"), sweep::Purpose::test);
  pass(searching("c", "synthetic"), sweep::Purpose::test);
  pass(searching("d"), sweep::Purpose::search);
  EXPECT_EQ(openings("a").passes, 3);
  EXPECT_EQ(openings("c").passes, 1) << "other data";
  EXPECT_EQ(openings("d").passes, 3) << "it has not opened it itself";
}

TEST_F(OpeningsOfTheTestPart, SayWhichJournalsCannotBeRead) {
  pass(searching("a"), sweep::Purpose::test);
  pass(searching("b"), sweep::Purpose::test);
  std::fstream damaged(journal_file(folder / "b.regatta"), std::ios::in | std::ios::out);
  damaged.seekp(400);
  damaged << "????";
  damaged.close();
  std::filesystem::create_directory(folder / "empty.regatta");
  EXPECT_EQ(openings("a"), (TestOpenings{1, 1}));
}

TEST_F(OpeningsOfTheTestPart, StandInTheFile) {
  const TrainingSweep made = searching("a");
  pass(made, sweep::Purpose::test);
  Results results = collect(folder / "a.regatta");
  results.openings = {3, 1};
  write_results(folder / "a.h5", results);
  EXPECT_EQ(read_results(folder / "a.h5").openings, (TestOpenings{3, 1}));
}

}  // namespace
}  // namespace regatta::results
