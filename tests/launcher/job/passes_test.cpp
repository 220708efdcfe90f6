// That they are taken is seen in tests/process/passes_test.py.
#include "job/passes.hpp"

#include <gtest/gtest.h>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

Job job_with(const std::string& measure,
             const std::string& compare = R"("compare": {"over": ["mode"], "baseline": {"mode": "graph"}},)") {
  Job job;
  job.sweep =
      sweep::parse_sweep(R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "mode": ["eager", "graph"]}, )" +
                             compare + R"("measure": )" + measure + "}",
                         "s.json", sweep::any_environment());
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

TEST(FurtherPasses, AreNoneWhileBlocksAreMissing) {
  const results::TemporaryFolder folder;
  Job job = job_with(R"({"total": "10s"})");
  job.options.out = folder / "results";
  PassesTaken taken;
  EXPECT_FALSE(next_pass(job, taken));
  EXPECT_FALSE(passes_due(job)) << "nothing was begun";
}

TEST(FurtherPasses, AreTakenOfWhatIsComparedUnlessAskedFor) {
  EXPECT_TRUE(takes_passes(job_with(R"({"total": "10s"})")));
  EXPECT_TRUE(takes_passes(job_with("{}")));
  EXPECT_FALSE(takes_passes(job_with("{}", ""))) << "nothing is compared";
  EXPECT_FALSE(takes_passes(job_with(R"({"again": false})")));
  EXPECT_TRUE(takes_passes(job_with(R"({"again": false, "total": "10s"})")));
  Job asked = job_with("{}");
  asked.options.rerun = Rerun::failed;
  EXPECT_FALSE(takes_passes(asked)) << "who names what is run again gets that alone";
}

TEST(FurtherPasses, MeasureWhatTheySayInTheTimeThatIsLeft) {
  const Job job = job_with(R"({"total": "10s"})");
  const Job again = job_of(job, {Rerun::fastest, 2.5, ""});
  EXPECT_EQ(again.options.rerun, Rerun::fastest);
  EXPECT_EQ(again.sweep.measure.total_seconds, 2.5);
  EXPECT_EQ(again.options.time, "2.500s");
  EXPECT_EQ(job_of(job, {Rerun::fastest, {}, ""}).sweep.measure.total_seconds, 10);
}

}  // namespace
}  // namespace regatta::launcher
