#include <gtest/gtest.h>

#include "measuring/measuring.hpp"

namespace regatta::launcher {
namespace {

TEST(CheckpointName, IsThatOfTheTrainingWhereverItsFolderLies) {
  sweep::ArmTask task;
  task.model = model::Noop{"noop"};
  measure::TrainRequest request;
  const auto name = [&](const char* folder, const char* data) {
    return checkpoint_name(task, request, {folder, data, "python3"});
  };
  const std::string here = name("/a/run", "/a/run/inputs/digits");
  EXPECT_EQ(name("/b/run", "/b/run/inputs/digits"), here) << "a folder that was moved";
  EXPECT_NE(name("/a/run", "/elsewhere/digits"), here);
  request.leg.purpose = sweep::Purpose::again;
  EXPECT_NE(name("/a/run", "/a/run/inputs/digits"), here) << "it trains from the beginning";
}

}  // namespace
}  // namespace regatta::launcher
