#include "commands/init_sweep.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/reader.hpp"

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

}  // namespace
}  // namespace regatta::launcher
