// That it measures again and on is seen in tests/process/run_test.py.
#include "run/passes.hpp"

#include <gtest/gtest.h>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

TEST(FurtherPasses, AreNoneWhileBlocksAreMissing) {
  const results::TemporaryFolder folder;
  Job job;
  job.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "mode": ["eager", "graph"]},
    "compare": {"over": ["mode"], "baseline": {"mode": "graph"}}, "measure": {"total": "10s"}})",
                                 "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  job.options.out = folder / "results";
  const MeasureEnd end = measure_further({}, job);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(job.folder())) << "nothing was started";
}

}  // namespace
}  // namespace regatta::launcher
