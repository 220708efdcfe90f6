#include "job/kept_spreads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

constexpr const char* eager = "torch eager cpu, 1 threads, 1 ranks";
constexpr const char* graph = "torch graph cpu, 1 threads, 1 ranks";
constexpr const char* program = "command null cpu, 1 threads, 1 ranks";

sweep::Origins torch_of(const std::string& version) { return {{"torch", {{"the version of torch", version}}}}; }

stats::SpreadHistory of_degrees(double degrees) {
  stats::SpreadHistory history;
  history.add(0.0001 * degrees, degrees, 0);
  return history;
}

stats::SpreadPool shown(double degrees, const char* a = eager, const char* b = graph) {
  stats::SpreadPool pool;
  pool.add(a, b, of_degrees(degrees));
  return pool;
}

class KeptSpreadsFile : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return files_.path("cache"); }
  [[nodiscard]] KeptSpreads kept(const std::string& machine = "here") const { return {folder(), machine}; }
  [[nodiscard]] double degrees(const std::string& version = "2.1", const std::string& machine = "here") const {
    return kept(machine).of(torch_of(version)).of(eager, graph).degrees;
  }
  MachineTree files_;
};

TEST_F(KeptSpreadsFile, GivesWhatRunsShowedAndEarlierOnesCountHalf) {
  EXPECT_EQ(degrees(), 0) << "nothing is known before the first run";
  kept().remember(shown(6), torch_of("2.1"));
  EXPECT_EQ(kept().of(torch_of("2.1")), shown(6));
  kept().remember(shown(4), torch_of("2.1"));
  EXPECT_EQ(degrees(), 4 + 6 / 2);
}

TEST_F(KeptSpreadsFile, KeepsVersionsOfAnEngineApart) {
  kept().remember(shown(6), torch_of("2.1"));
  EXPECT_EQ(degrees("2.2"), 0);
  kept().remember(shown(4), torch_of("2.2"));
  EXPECT_EQ(degrees("2.2"), 4);
  EXPECT_EQ(degrees("2.1"), 6);
}

TEST_F(KeptSpreadsFile, KeepsMachinesApart) {
  kept().remember(shown(6), torch_of("2.1"));
  EXPECT_EQ(degrees("2.1", "elsewhere"), 0);
  kept("elsewhere").remember(shown(2), torch_of("2.1"));
  EXPECT_EQ(degrees("2.1", "elsewhere"), 2);
  EXPECT_EQ(degrees(), 6);
}

TEST_F(KeptSpreadsFile, KeepsNothingOfPrograms) {
  kept().remember(shown(6, program, program), {});
  EXPECT_FALSE(std::filesystem::exists(folder() / "pair-spreads.json"));
}

TEST_F(KeptSpreadsFile, IsLearntAnewWhereItIsDamaged) {
  kept().remember(shown(6), torch_of("2.1"));
  write_file_atomically(folder() / "pair-spreads.json", R"({"spreads": [{"machine": 1}]})");
  CaptureStderr();
  EXPECT_EQ(degrees(), 0);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("how much processes scatter is learnt anew"));
  kept().remember(shown(2), torch_of("2.1"));
  EXPECT_EQ(degrees(), 2);
}

TEST_F(KeptSpreadsFile, WithoutAFolderIsNothing) {
  KeptSpreads nowhere({}, "here");
  nowhere.remember(shown(6), torch_of("2.1"));
  EXPECT_TRUE(nowhere.of(torch_of("2.1")).is_empty());
}

}  // namespace
}  // namespace regatta::launcher
