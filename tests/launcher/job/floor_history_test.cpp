#include "job/floor_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

const analysis::FloorKey native = {"box", "cpu cores 0-1", "native"};

analysis::SessionFloor learnt(double floor) { return {native, floor, 9}; }

class FloorHistoryFile : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return files_.path("cache"); }
  MachineTree files_;
};

TEST_F(FloorHistoryFile, GivesTheLargestOfTheOtherPairs) {
  EXPECT_FALSE(FloorHistory(folder()).floor(native, "a b"));
  FloorHistory(folder()).remember({learnt(0.02)}, "a b");
  FloorHistory(folder()).remember({learnt(0.01)}, "c d");
  const FloorHistory read(folder());
  EXPECT_EQ(read.floor(native, "e f"), 0.02);
  EXPECT_EQ(read.floor(native, "a b"), 0.01) << "a pair is not judged by itself";
  EXPECT_FALSE(read.floor({"box", "cpu cores 0-1", "numpy"}, "e f"));
  EXPECT_FALSE(read.floor({"other", "cpu cores 0-1", "native"}, "e f"));
}

TEST_F(FloorHistoryFile, KeepsOneEntryForEachPairAndForgetsTheOldest) {
  FloorHistory(folder()).remember({learnt(0.5)}, "a b");
  FloorHistory(folder()).remember({learnt(0.03)}, "a b");
  EXPECT_EQ(FloorHistory(folder()).floor(native, ""), 0.03);
  for (std::size_t pair = 0; pair < most_remembered; ++pair)
    FloorHistory(folder()).remember({learnt(0.01)}, std::to_string(pair));
  EXPECT_EQ(FloorHistory(folder()).floor(native, ""), 0.01);
}

TEST_F(FloorHistoryFile, ThatIsDamagedIsLearntAnewWithAWarning) {
  std::filesystem::create_directories(folder());
  for (const char* text : {"{", R"({"floors": [{"host": 3}]})",
                           R"({"floors": [{"host": "box", "device": "cpu cores 0-1", "engine": "native",
                              "pairs": [{"pair": "a", "floor": -1, "trials": 9}]}]})"}) {
    write_file_atomically(folder() / "session-floors.json", text);
    CaptureStderr();
    EXPECT_FALSE(FloorHistory(folder()).floor(native, ""));
    EXPECT_THAT(GetCapturedStderr(), HasSubstr("learnt anew"));
  }
  FloorHistory(folder()).remember({learnt(0.02)}, "a b");
}

TEST_F(FloorHistoryFile, WithoutAFolderWarnsThatItForgets) {
  CaptureStderr();
  FloorHistory("").remember({learnt(0.02)}, "a b");
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("cannot be kept"));
}

TEST(PairName, HasNoOrder) {
  EXPECT_EQ(pair_name("a", "b"), pair_name("b", "a"));
  EXPECT_NE(pair_name("a", "b"), pair_name("a", "c"));
}

}  // namespace
}  // namespace regatta::launcher
