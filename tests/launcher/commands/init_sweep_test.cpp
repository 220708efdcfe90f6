#include <gtest/gtest.h>

#include <fstream>

#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

TEST(SweepToEdit, IsASweepThatComparesSomething) {
  const sweep::Sweep sweep = sweep::parse_sweep(sweep_to_edit("first"), "first.json");
  EXPECT_EQ(sweep.name, "first");
  const sweep::Plan plan = sweep::make_plan(sweep);
  EXPECT_GT(plan.trials.size(), 10U);
  EXPECT_TRUE(plan.blocks.front().has_baseline);
}

TEST(SweepToEdit, NamesEachEngineThatRunsModels) {
  const std::string text = sweep_to_edit("first");
  for (const sweep::EngineInfo& engine : sweep::engine_table()) {
    const bool is_named = text.find('"' + std::string(engine.name)) != std::string::npos;
    EXPECT_EQ(is_named, engine.worker != sweep::WorkerKind::program) << engine.name;
  }
}

TEST(SweepToEdit, HasANameThatASweepCanHave) {
  for (const char* name : {"", "../x", "a b", "a\"b"}) {
    try {
      sweep_to_edit(name);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()), "init: found '" + std::string(name) +
                                               "', expected a name of at most 100 letters, digits, '.', '_' and '-', "
                                               "beginning with a letter or digit, such as first");
    }
  }
}

TEST(SweepToEdit, OfACommandHasItsPlaceholdersAsAxes) {
  const std::string text = sweep_of_command("heat", "heat --n={n} '{alg} x' {{n}} ${HOME}");
  const sweep::Sweep sweep = sweep::parse_sweep(text, "heat.json");
  EXPECT_EQ(sweep.commands.at("heat").argv,
            (std::vector<std::string>{"heat", "--n={n}", "{alg} x", "{{n}}", "${HOME}"}));
  EXPECT_EQ(sweep.axes.size(), 4U) << text;
  EXPECT_TRUE(sweep::make_plan(sweep).blocks.front().has_baseline);
  EXPECT_EQ(sweep::make_plan(sweep::parse_sweep(sweep_of_command("s", "sleep 1"), "s.json")).trials.size(), 1U);
}

TEST(SweepToEdit, OfACommandMayHaveAxesOfAnyName) {
  const std::string text = sweep_of_command("s", "train.py {seed} {batch} {lr-max} {threads}");
  EXPECT_EQ(sweep::make_plan(sweep::parse_sweep(text, "s.json")).trials.size(), 81U) << text;
  for (const char* name : {"engine", "command", "repeat", "device", "status"})
    EXPECT_THROW(sweep_of_command("s", std::string("x {") + name + "}"), InputError) << name;
}

class LoopToEdit : public ::testing::Test {
 protected:
  std::string written(const std::string& source) {
    const std::string file = (folder_ / "my loop.py").string();
    std::ofstream(file) << source;
    return file;
  }

  support::TemporaryFolder folder_;
};

TEST_F(LoopToEdit, HasBatchesWhereTheLoopKnowsThem) {
  const std::string loop = "import regatta\nfor step in regatta.steps():\n    pass\n";
  EXPECT_EQ(sweep_of_loop("l", written(loop), "").find("batch"), std::string::npos);
  EXPECT_NE(sweep_of_loop("l", written(loop + "# batch\n"), "").find("\"batch\":  [32, 256]"), std::string::npos);
}

TEST_F(LoopToEdit, IsOfTheFrameworkThatItImports) {
  const std::string file = written("import torch\nimport regatta\nfor step in regatta.steps():\n    pass\n");
  const sweep::Sweep sweep = sweep::parse_sweep(sweep_of_loop("fit", file, ""), folder_ / "fit.json");
  EXPECT_EQ(sweep.environments.at("loop").engine, "torch");
  EXPECT_TRUE(sweep::make_plan(sweep).blocks.front().has_baseline);
}

TEST_F(LoopToEdit, CountsItsSteps) {
  const std::string file = written("for i in range(10):\n    pass\n");
  try {
    sweep_of_loop("fit", file, "");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("for step in regatta.steps():"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace regatta::launcher
