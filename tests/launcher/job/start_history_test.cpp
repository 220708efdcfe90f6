#include "job/start_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

const StartKey torch_eager = {"torch", "torch", "/cache/torch/bin/python", "eager", "mlp-10"};

LearntStart took(double start, StartKey key = torch_eager, std::string version = "2.15") {
  return {std::move(key), std::move(version), {start, 2 * start, 3 * start}};
}

StartKey in_mode(std::string mode) {
  StartKey key = torch_eager;
  key.mode = std::move(mode);
  return key;
}

StartKey of_model(std::string model) {
  StartKey key = torch_eager;
  key.model = std::move(model);
  return key;
}

class StartHistoryFile : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return files_.path("cache"); }
  std::filesystem::path file() const { return folder() / "start-times.json"; }
  [[nodiscard]] double start_of(const StartKey& key) const {
    const auto times = StartHistory(folder()).times(key);
    return times ? times->start : -1;
  }
  MachineTree files_;
};

TEST_F(StartHistoryFile, GivesMediansOfEachPart) {
  EXPECT_FALSE(StartHistory(folder()).times(torch_eager)) << "nothing is known before the first run";
  StartHistory(folder()).remember({took(1), took(9)});
  StartHistory(folder()).remember({took(2)});
  const auto times = StartHistory(folder()).times(torch_eager);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->start, 2);
  EXPECT_EQ(times->prepare, 4);
  EXPECT_EQ(times->first_step, 6);
}

TEST_F(StartHistoryFile, KeepsInstallationsAndModesApart) {
  StartHistory(folder()).remember({took(1)});
  StartKey other = torch_eager;
  other.program = "/elsewhere/bin/python";
  EXPECT_EQ(start_of(other), -1);
  EXPECT_EQ(start_of(in_mode("graph")), -1);
}

TEST_F(StartHistoryFile, TakesOtherModelsWhereTheModelIsNew) {
  StartHistory(folder()).remember({took(1), took(5, of_model("lstm"))});
  EXPECT_EQ(start_of(torch_eager), 1);
  EXPECT_EQ(start_of(of_model("conv")), 3);
}

TEST_F(StartHistoryFile, ForgetsWhatAnotherVersionTook) {
  StartHistory(folder()).remember({took(9), took(9, of_model("lstm")), took(9, in_mode("graph"))});
  StartHistory(folder()).remember({took(1, torch_eager, "2.16")});
  EXPECT_EQ(start_of(torch_eager), 1);
  EXPECT_EQ(start_of(of_model("lstm")), 1);
  EXPECT_EQ(start_of(in_mode("graph")), 9) << "until that one has started, too";
}

TEST_F(StartHistoryFile, IsBounded) {
  StartHistory(folder()).remember({took(9)});
  StartHistory(folder()).remember(std::vector<LearntStart>(most_start_values, took(1)));
  EXPECT_THAT(read_file(file()), ::testing::Not(HasSubstr("9.0"))) << "the oldest value is forgotten";
  std::vector<LearntStart> others;
  for (std::size_t i = 0; i < most_start_keys; ++i) others.push_back(took(1, in_mode(std::to_string(i))));
  StartHistory(folder()).remember(others);
  EXPECT_EQ(start_of(torch_eager), -1) << "the oldest key is forgotten";
  EXPECT_EQ(start_of(in_mode("0")), 1);
}

TEST_F(StartHistoryFile, ThatIsDamagedIsLearntAnewWithAWarning) {
  std::filesystem::create_directories(folder());
  const std::string entry = R"("engine": "torch", "environment": "torch", "program": "/cache/torch/bin/python",
    "mode": "eager", "model": "mlp-10", "version": "2.15")";
  const std::string good = R"({"start": 1, "prepare": 1, "first_step": 1})";
  for (const std::string& text :
       {std::string("{"), std::string(R"({"starts": [{"engine": 3}]})"), std::string(R"({"starts": 3})"),
        "{\"starts\": [{" + entry + R"(, "times": [{"start": -1, "prepare": 1, "first_step": 1}]}]})",
        "{\"starts\": [{" + entry + ", \"times\": [" + good +
            R"(, {"start": 1e99, "prepare": 1, "first_step": 1}]}]})"}) {
    write_file_atomically(file(), text);
    CaptureStderr();
    EXPECT_EQ(start_of(torch_eager), -1) << text;
    EXPECT_THAT(GetCapturedStderr(), HasSubstr("learnt anew")) << text;
  }
  write_file_atomically(file(), "{\"starts\": [{" + entry + ", \"times\": [" + good + "]}]}");
  EXPECT_EQ(start_of(torch_eager), 1) << "what these files are but for their damage";
  write_file_atomically(file(), "{");
  CaptureStderr();
  StartHistory(folder()).remember({took(2)});
  GetCapturedStderr();
  EXPECT_EQ(start_of(torch_eager), 2) << "and another one takes its place";
}

TEST_F(StartHistoryFile, WithoutAFolderKeepsSilent) {
  CaptureStderr();
  StartHistory("").remember({took(1)});
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST_F(StartHistoryFile, ThatCannotBeWrittenSaysSo) {
  files_.write("cache", "no folder");
  CaptureStderr();
  StartHistory(folder()).remember({took(1)});
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("cannot be kept"));
}

}  // namespace
}  // namespace regatta::launcher
