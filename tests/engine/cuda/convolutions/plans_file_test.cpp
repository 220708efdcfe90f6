// Remembered choices of timed plans: hits, damaged and foreign files, choices that are of no use any more.
#include "engine/cuda/convolutions/plans_file.hpp"

#include <fstream>

#include "engine/cuda/convolutions/convolution_test.hpp"
#include "engine/cuda/convolutions/plan.hpp"
#include "regatta/base/files.hpp"
#include "support/cuda/cudnn/engines.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::engine::cuda {
namespace {

namespace fake = cuda_fakes::cudnn;

class PlansFileTest : public ConvolutionTest {
 protected:
  void SetUp() override {
    ConvolutionTest::SetUp();
    settings.choices_file = folder / "plans";
    settings.device = "emulated 9.0";
    settings.choosing_seconds = kAmpleSeconds;
  }

  /// The plan that a fresh object takes for the plain image; `runs`: how often plans were run to find it.
  std::string chosen(const ConvolutionSettings& by) {
    make(by);
    const std::int64_t before = control.counters().convolutions;
    const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, image_of(plain_image()));
    runs = control.counters().convolutions - before;
    return plan == nullptr ? "none" : text_of(*plan);
  }

  [[nodiscard]] std::string file() const { return read_file(settings.choices_file); }
  void write(const std::string& text) const { std::ofstream(settings.choices_file, std::ios::binary) << text; }

  static PlanChoice tiled(std::int64_t tile) {
    return {{}, false, {fake::kTiled, {{CUDNN_KNOB_TYPE_TILE_SIZE, tile}}}};
  }
  const std::string fastest = "cuDNN engine 1, knobs 2=1";
  const std::string first = "cuDNN engine 1, knobs 2=2";
  support::TemporaryFolder folder;
  ConvolutionSettings settings;
  std::int64_t runs = 0;
};

TEST_F(PlansFileTest, WhatWasTimedIsNotTimedAgain) {
  EXPECT_EQ(chosen(settings), fastest);
  EXPECT_GT(runs, 3);
  EXPECT_EQ(chosen(settings), fastest);
  EXPECT_EQ(runs, 1) << "as every plan before a capture";
  settings.choosing_seconds = 0;
  EXPECT_EQ(chosen(settings), fastest) << "known without time for choosing";
}

TEST_F(PlansFileTest, WidenedImagesAndKnobsAreKept) {
  make(settings);
  const auto* plan = convolutions->find(ConvolutionKind::input_gradient, image_of(uneven_line()));
  const std::string before = text_of(*plan);
  EXPECT_THAT(before, testing::HasSubstr("over padded images"));
  make(settings);
  plan = convolutions->find(ConvolutionKind::input_gradient, image_of(uneven_line()));
  EXPECT_EQ(text_of(*plan), before);
  Random random(test_seed());
  const OpSpec spec = spec_of(ConvolutionKind::input_gradient, uneven_line());
  const Memories operands = random_memories(random, spec);
  expect_near(computed(*plan, operands), by_the_reference(spec, operands), 1e-5, "from the file");
}

TEST_F(PlansFileTest, AnotherDevicePrecisionVersionOrDeterminismIsTimedAnew) {
  EXPECT_EQ(chosen(settings), fastest);
  ConvolutionSettings other = settings;
  other.device = "emulated 8.0";
  chosen(other);
  EXPECT_GT(runs, 3);
  other = settings;
  other.precision = Precision::tf32;
  chosen(other);
  EXPECT_GT(runs, 3);
  other = settings;
  other.deterministic = false;
  chosen(other);
  EXPECT_GT(runs, 3);
  cuda_fakes::cudnn::set_orders({.version = 92000});
  chosen(settings);
  EXPECT_GT(runs, 3);
  cuda_fakes::cudnn::set_orders({});
  chosen(settings);
  EXPECT_EQ(runs, 1) << "all of them stand side by side";
}

TEST_F(PlansFileTest, WithoutTimeTheFirstIsKeptSoThatAllTakeIt) {
  settings.choosing_seconds = 0;
  EXPECT_EQ(chosen(settings), first);
  settings.choosing_seconds = kAmpleSeconds;
  EXPECT_EQ(chosen(settings), first) << "bits depend on it";
}

TEST_F(PlansFileTest, ADamagedFileIsIgnored) {
  for (const std::string& damaged :
       {std::string(""), std::string("\n\n\n"), std::string("nonsense"), std::string(5000, '\0'), std::string("1 0"),
        std::string("1 0 2=1"), std::string("x 0 2=1 key"), std::string("1 2 2=1 key"), std::string("1 0 2= key"),
        std::string("1 0 =1 key"), std::string("1 0 2=1, key"), std::string("99999999999999999999 0 - key")}) {
    write(damaged);
    EXPECT_EQ(chosen(settings), fastest);
    EXPECT_GT(runs, 3) << damaged;
  }
}

TEST_F(PlansFileTest, ALineThatIsCutDoesNotSpoilTheOthers) {
  EXPECT_EQ(chosen(settings), fastest);
  write(file() + "1 0 2=");
  EXPECT_EQ(chosen(settings), fastest);
  EXPECT_EQ(runs, 1);
}

TEST_F(PlansFileTest, AChoiceThatDoesNotWorkHereIsReplaced) {
  EXPECT_EQ(chosen(settings), fastest);
  const std::string good = file();
  const std::string key = good.substr(good.find("forward"));
  for (const std::string& useless : {std::string("2 0 - "),     // not deterministic
                                     std::string("8 0 - "),     // too much workspace
                                     std::string("7 0 - "),     // no plan
                                     std::string("9 0 - "),     // fails when it is run
                                     std::string("777 0 - "),   // no such engine
                                     std::string("1 0 2=77 "),  // no such value
                                     std::string("1 0 3=1 "),   // no such knob
                                     std::string("1 0 999=1 ")}) {
    write(useless + key);
    EXPECT_EQ(chosen(settings), fastest) << useless;
    EXPECT_EQ(file(), good) << useless;
  }
}

TEST_F(PlansFileTest, AFileThatCannotBeWrittenIsDoneWithout) {
  settings.choices_file = folder / "no such folder" / "plans";
  EXPECT_EQ(chosen(settings), fastest);
  settings.choices_file = folder.path();
  EXPECT_EQ(chosen(settings), fastest);
}

TEST_F(PlansFileTest, WhatAnotherProcessKeptFirstHoldsForAll) {
  const std::string path = settings.choices_file;
  PlansFile mine(path);
  PlansFile theirs(path);
  EXPECT_EQ(theirs.add("forward", tiled(0)), tiled(0));
  EXPECT_EQ(mine.add("forward", tiled(1)), tiled(0));
  EXPECT_EQ(mine.find("forward"), tiled(0));
  EXPECT_EQ(mine.add("other", tiled(2)), tiled(2));
  EXPECT_EQ(PlansFile(path).find("forward"), tiled(0));
  EXPECT_EQ(PlansFile(path).find("other"), tiled(2));
  EXPECT_FALSE(PlansFile(path).find("nobody's"));
}

TEST_F(PlansFileTest, AProcessThatIsLaterTakesWhatIsKept) {
  EXPECT_EQ(chosen(settings), fastest);
  const std::string kept = file();
  std::filesystem::remove(settings.choices_file);
  make(settings);  // reads that there is no file
  write("1 0 2=0 " + kept.substr(kept.find("forward")));
  const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, image_of(plain_image()));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(text_of(*plan), "cuDNN engine 1, knobs 2=0") << "as the other process computes";
}

TEST_F(PlansFileTest, LinesThatNoPlanHasAreNoChoices) {
  for (const char* const line : {"-1 0 - key", "1 2 - key", "1 0 -", "1 0 2=1=1 key", "1 0 -2=1 key", "1 0 , key"}) {
    write(line);
    EXPECT_FALSE(PlansFile(settings.choices_file).find("key")) << line;
  }
  write("1 0 - key");
  EXPECT_TRUE(PlansFile(settings.choices_file).find("key"));
}

TEST_F(PlansFileTest, WhatIsForgottenIsReplaced) {
  const std::string path = settings.choices_file;
  PlansFile(path).add("forward", tiled(0));
  PlansFile file(path);
  file.forget("forward");
  EXPECT_FALSE(file.find("forward"));
  EXPECT_EQ(file.add("forward", tiled(1)), tiled(1));
  EXPECT_EQ(PlansFile(path).find("forward"), tiled(1));
}

TEST_F(PlansFileTest, AWayOfTheRivalIsKeptAsPlansAre) {
  const ConvolutionShape shape = image_of(plain_image());
  settings.rival = idle_rival();
  EXPECT_EQ(chosen(settings), "none");
  EXPECT_EQ(convolutions->way(ConvolutionKind::forward, shape), 3) << "no plan is faster than nothing";
  EXPECT_THAT(file(), testing::HasSubstr("own:3"));
  EXPECT_EQ(chosen(settings), "none");
  EXPECT_EQ(runs, 0) << "no plan of cuDNN is run again";
  EXPECT_EQ(convolutions->way(ConvolutionKind::forward, shape), 3);
}

TEST_F(PlansFileTest, WhatWasNotTimedIsKeptToo) {
  settings.rival = idle_rival();
  settings.choosing_seconds = 0;
  EXPECT_EQ(chosen(settings), "none");
  EXPECT_THAT(file(), testing::HasSubstr("own:3"));
  settings.rival = {};
  settings.choosing_seconds = kAmpleSeconds;
  EXPECT_EQ(chosen(settings), fastest) << "there is no rival that has that way";
  settings.rival = idle_rival();
  EXPECT_EQ(chosen(settings), fastest) << "what is there all processes share";
}

TEST_F(PlansFileTest, WhatNobodyComputesIsNotKept) {
  settings.precision = Precision::bf16;
  const Conv1dShape long_kernel{
      .batch = 1, .length = 40, .channels = 8, .positions = 11, .filters = 8, .taps = 30, .stride = 1, .pad = 0};
  make(settings);
  EXPECT_EQ(convolutions->find(ConvolutionKind::kernel_gradient, image_of(long_kernel)), nullptr);
  EXPECT_FALSE(std::filesystem::exists(settings.choices_file));
}

TEST_F(PlansFileTest, WaysThatTheRivalDoesNotHaveAreChosenAnew) {
  PlansFile(settings.choices_file);
  settings.rival = idle_rival();
  chosen(settings);
  std::string text = file();
  text.replace(text.find("own:3"), 5, "own:4");
  write(text);
  EXPECT_EQ(chosen(settings), "none");
  EXPECT_EQ(convolutions->way(ConvolutionKind::forward, image_of(plain_image())), 3);
  for (const char* const damaged : {"own:", "own:-1", "own:x"}) {
    text.replace(text.find("own:"), text.find(' ', text.find("own:")) - text.find("own:"), damaged);
    write(text);
    EXPECT_EQ(chosen(settings), "none") << damaged;
  }
}

TEST_F(PlansFileTest, TheWayOfNumberZeroIsReadBack) {
  settings.rival = idle_rival();
  settings.rival.ways = [](ConvolutionKind, const ConvolutionShape&) { return std::vector<int>{3, 0}; };
  chosen(settings);
  std::string text = file();
  text.replace(text.find("own:"), 5, "own:0");
  write(text);
  EXPECT_EQ(chosen(settings), "none");
  EXPECT_EQ(convolutions->way(ConvolutionKind::forward, image_of(plain_image())), 0);
  EXPECT_EQ(file(), text) << "it is not chosen anew";
}

TEST_F(PlansFileTest, ChoicesWithoutKnobsAndWithSeveralAreReadBack) {
  const std::string path = settings.choices_file;
  const PlanChoice none{{}, true, {12, {}}};
  const PlanChoice several{{}, false, {37, {{2, 4}, {13, -1}, {23, 1LL << 40}}}};
  PlansFile(path).add("a key of words", none);
  PlansFile(path).add("another", several);
  EXPECT_EQ(PlansFile(path).find("a key of words"), none);
  EXPECT_EQ(PlansFile(path).find("another"), several);
}

TEST_F(PlansFileTest, AnEmptyPathKeepsNothing) {
  PlansFile file("");
  EXPECT_EQ(file.add("forward", tiled(0)), tiled(0));
  EXPECT_EQ(file.find("forward"), tiled(0));
  EXPECT_FALSE(PlansFile("").find("forward"));
}

}  // namespace
}  // namespace regatta::engine::cuda
