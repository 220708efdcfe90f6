#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* functions = "\ndef build(width=64):\n    pass\n\ndef make_batch(n):\n    pass\n";

class InitModel : public testing::Test {
 protected:
  InitModel() { std::filesystem::current_path(folder_.path()); }
  ~InitModel() override { std::filesystem::current_path(before_); }

  static void write(const std::string& text) { std::ofstream("mine.py") << text; }

  static std::string refusal(const std::string& engine = "") {
    try {
      sweep_of_model("mine", "mine.py", engine);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  support::TemporaryFolder folder_;
};

TEST(EngineOfSource, IsWhatItsLinesImport) {
  EXPECT_EQ(engine_of_source("import numpy as np\nimport torch\nfrom torch import nn\n"), "torch");
  EXPECT_EQ(engine_of_source("from keras.layers import Dense"), "tensorflow");
  EXPECT_EQ(engine_of_source("import tensorflow.keras as k\r\nimport keras\r\n"), "tensorflow");
  EXPECT_EQ(engine_of_source("import jax\n"), "jax");
  EXPECT_EQ(engine_of_source("import numpy, torch.nn as nn\n"), "torch");
  EXPECT_EQ(engine_of_source("import numpy as np ,  jax # arrays\n"), "jax");
  EXPECT_EQ(engine_of_source("import \nimport ,\n"), std::nullopt);
  EXPECT_EQ(engine_of_source("import torch\nimport jax\n"), std::nullopt) << "two frameworks";
  EXPECT_EQ(engine_of_source("import torchvision\n# import torch\n"), std::nullopt);
  EXPECT_EQ(engine_of_source(""), std::nullopt);
}

TEST_F(InitModel, WritesASweepThatChangesOneThingAtATime) {
  for (const auto& [module, least] : {std::pair("torch", 5U), {"keras", 7U}, {"jax", 4U}}) {
    write(std::string("import ") + module + functions);
    const sweep::OutsideEnvironments two_cores{.declared = {}, .installed = {}, .cores = [] { return 2; }};
    const sweep::Sweep sweep = sweep::parse_sweep(sweep_of_model("mine", "mine.py", ""), "mine.json", two_cores);
    const sweep::Plan plan = sweep::make_plan(sweep);
    EXPECT_GE(plan.trials.size(), least) << module;
    for (const sweep::Trial& trial : plan.trials) EXPECT_FALSE(trial.skip_reason) << *trial.skip_reason;
    EXPECT_TRUE(plan.no_contrasts.empty()) << "an untouched sweep compares all";
    EXPECT_TRUE(plan.blocks.front().has_baseline);
  }
}

TEST_F(InitModel, TakesFilesOfAnyName) {
  for (const char* file : {"my model.py", "it's.py", "q\"q.py", "1.py", "--.py"}) {
    std::ofstream(file) << "from other import build, make_batch\n";
    const sweep::OutsideEnvironments two_cores{.declared = {}, .installed = {}, .cores = [] { return 2; }};
    const sweep::Sweep sweep = sweep::parse_sweep(sweep_of_model("mine", file, "torch"), "mine.json", two_cores);
    EXPECT_GE(sweep::make_plan(sweep).trials.size(), 5U) << file;
  }
  EXPECT_THROW(sweep_of_model("mine", "noext", "torch"), InputError);
}

TEST_F(InitModel, RefusesAFileThatItCannotAskAbout) {
  EXPECT_THAT(refusal(), testing::HasSubstr("mine.py")) << "not there";
  write(std::string("import numpy") + functions);
  EXPECT_THAT(refusal(), testing::HasSubstr("name it: --engine torch"));
  EXPECT_EQ(refusal("jax"), "accepted");
  EXPECT_EQ(refusal("keras"), "accepted");
  EXPECT_THAT(refusal("numpy"), testing::HasSubstr("expected torch, tensorflow (also for keras) or jax"));
  write(std::string("import torch\nimport jax") + functions);
  EXPECT_THAT(refusal(), testing::HasSubstr("imports none or several"));
  write(std::string("import torch") + functions);
  EXPECT_EQ(refusal("torch"), "accepted");
  EXPECT_THAT(refusal("keras"), testing::HasSubstr("imports torch, and --engine keras cannot run models of torch"));
  write("import torch\n\ndef build():\n    pass\n");
  EXPECT_THAT(refusal(), testing::HasSubstr("has no function make_batch"));
}

}  // namespace
}  // namespace regatta::launcher
