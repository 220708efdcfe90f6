#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(Trials, DefaultsFillTheRest) {
  const Plan plan = plan_with(R"("axes": {"model": "conv1d-small"})");
  EXPECT_EQ(
      plan.trials.at(0).canonical(),
      R"({"algorithm":"direct","batch":32,"dataset":"synthetic","device":"cpu","engine":"native","host_dtype":"float32",)"
      R"("input":"array","length":140,"mode":"graph","model":"conv1d-small","precision":"fp32","ranks":1,"repeat":0,)"
      R"("rewrite":"none","seed":0,"shards":1,"tail":"drop","threads":1,"timing":"steady","work":"train"})");
}

TEST(Trials, ExclusionsLeaveOutWhatMatchesAllTheirPairs) {
  const Plan plan = plan_with(
      R"("axes": {"batch": [1, 2, 4], "model": "mlp-10", "mode": ["graph", "eager"]},
         "exclude": [{"batch": 1}, {"batch": 4, "mode": "eager"}])");
  EXPECT_EQ(trials_of(plan, {Param::batch, Param::mode}), "2 graph | 2 eager | 4 graph");
  EXPECT_EQ(plan.points, 3);
}

TEST(Trials, PointsThatDifferInWhatIsNotReadAreOneTrial) {
  const Plan plan = plan_with(
      R"("axes": {"engine": ["native", "numpy"], "model": ["mlp-10", "matmul-1000"], "mode": ["eager", "graph"], "length": [140, 1400], "batch": [1, 32]})");
  EXPECT_EQ(trials_of(plan, {Param::engine, Param::model, Param::mode, Param::batch}),
            "native mlp-10 eager 1 | native mlp-10 eager 32 | native mlp-10 graph 1 | native mlp-10 graph 32 | "
            "native matmul-1000 eager \u2013 | native matmul-1000 graph \u2013 | "
            "numpy mlp-10 \u2013 1 | numpy mlp-10 \u2013 32 | numpy matmul-1000 \u2013 \u2013");
  EXPECT_EQ(plan.points, 32);
  EXPECT_EQ(plan.merged, 23);
}

TEST(Trials, AnExclusionThatNoLongerMatchesALevelIsHarmless) {
  Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "batch": [1, 2]}, "exclude": [{"batch": 2}])");
  set_axis(sweep, "batch=1,4");
  EXPECT_EQ(trials_of(make_plan(sweep), {Param::batch}), "1 | 4");
}

TEST(ModelOf, FindsNamedAndWrittenOutModels) {
  const Sweep sweep = sweep_with(
      R"("axes": {"model": ["conv1d-small", "matmul-1000", {"name": "mine", "matmul": 7}], "length": 1400})");
  const Plan plan = make_plan(sweep);
  EXPECT_EQ(std::get<model::Network>(*model_of(sweep, plan.trials.at(0).parameters)).input, (model::Shape{1400, 30}));
  EXPECT_EQ(std::get<model::Matmul>(*model_of(sweep, plan.trials.at(1).parameters)).size, 1000);
  EXPECT_EQ(std::get<model::Matmul>(*model_of(sweep, plan.trials.at(2).parameters)).size, 7);
  EXPECT_FALSE(model_of(sweep, Parameters{}));
}

}  // namespace
}  // namespace regatta::sweep
