#include <gmock/gmock.h>

#include "job/job.hpp"
#include "regatta/base/error.hpp"
#include "regatta/results/store.hpp"
#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

TEST(Resume, DamageThatMayHaveCostAResultIsToldWithTheCommandsThatGoOn) {
  const support::TemporaryFolder base;
  results::spill(base / "small sweep.json",
                 R"({"regatta": 1, "name": "small", "axes": {"model": "noop"}, "repeats": 2})");
  JobOptions options;
  options.sweep_file = base / "small sweep.json";
  options.set = {"batch=1,2"};
  options.out = base / "results";
  const Job job = read_job(options);
  {
    results::StoreWriter writer(job.folder(), job.sweep, job.plan, {});
    results::BlockRecord block;
    block.block = job.plan.blocks[0].hash;
    writer.result(block, {});
    writer.sync();
  }
  EXPECT_EQ(results::finished_blocks(resume(job, 1)).size(), 1U);
  const std::filesystem::path journal = results::journal_file(job.folder());
  const auto flip = [&](const std::string& word) {
    std::string text = results::slurp(journal);
    text[text.find(word) + 3] ^= 1;
    results::spill(journal, text);
  };
  flip(" result ");
  const std::string out = (base / "results").string();
  const std::string run =
      "\n  regatta run '" + options.sweep_file.string() + "' --set batch=1,2 --out " + out + "-salvaged";
  const std::string salvage = ":\n  regatta collect " + job.folder().string() + " --salvage -o " + out + "-salvaged";
  EXPECT_THAT(results::message_of<InputError>([&] { resume(job, 1); }), testing::EndsWith(salvage + run));
  flip(" plan ");
  std::filesystem::create_directory(out + "-salvaged");
  EXPECT_THAT(
      results::message_of<InputError>([&] { resume(job, 1); }),
      testing::EndsWith(salvage + "-2 --sweep '" + options.sweep_file.string() + "' --set batch=1,2" + run + "-2"));
}

TEST(Resume, EndsABatchJobWhoseLastThreeLivesRecordedNothing) {
  const support::TemporaryFolder base;
  results::spill(base / "small.json", R"({"regatta": 1, "name": "small", "axes": {"model": "noop"}, "repeats": 2})");
  JobOptions options;
  options.sweep_file = base / "small.json";
  options.out = base / "results";
  Job job = read_job(options);
  const auto live = [&] { results::StoreWriter(job.folder(), job.sweep, job.plan, {}).end_session(); };
  for (job.options.life = 1; job.options.life <= 2; ++job.options.life) {
    live();
    EXPECT_NO_THROW(resume(job, 1)) << job.options.life;
  }
  live();
  EXPECT_THAT(results::message_of<InputError>([&] { resume(job, 1); }),
              testing::HasSubstr("the last 3 lives of this job recorded nothing new"));
  job.options.life = 0;
  EXPECT_NO_THROW(resume(job, 1)) << "somebody has submitted it anew";
  job.options.life = 3;
  {
    results::StoreWriter writer(job.folder(), job.sweep, job.plan, {});
    results::BlockRecord block;
    block.block = job.plan.blocks[0].hash;
    writer.result(block, {});
    writer.end_session();
  }
  EXPECT_NO_THROW(resume(job, 1));
}

TEST(Resume, RecordsAreReadBesideThePlan) {
  const support::TemporaryFolder base;
  results::spill(base / "small.json", R"({"regatta": 1, "name": "small", "axes": {"model": "noop"}, "repeats": 2})");
  JobOptions options;
  options.sweep_file = base / "small.json";
  options.out = base / "results";
  EXPECT_TRUE(read_to_go_on(options).records.get().records.empty());
  const Job job = read_job(options);
  { results::StoreWriter(job.folder(), job.sweep, job.plan, {}).sync(); }
  JobToGoOn read = read_to_go_on(options);
  EXPECT_EQ(read.job.get().plan.blocks.size(), 2U);
  EXPECT_FALSE(read.records.get().records.empty());
  results::spill(base / "small.json", "{");
  EXPECT_THROW(read_to_go_on(options), InputError);
}

TEST(Resume, FoldersWhoseNamesAreNoTextAreRefused) {
  const support::TemporaryFolder base;
  results::spill(base / "small.json", R"({"regatta": 1, "name": "small", "axes": {"model": "noop"}})");
  JobOptions options;
  options.sweep_file = base / "small.json";
  const auto refusal = [&](const JobOptions& given) {
    return results::message_of<InputError>([&] { read_to_go_on(given); });
  };
  JobOptions out = options;
  out.out = base / "caf\xe9";
  EXPECT_EQ(refusal(out), "the path '" + out.out.string() +
                              "' is not in UTF-8 (a run keeps paths as text); choose another folder with --out, or "
                              "rename it");
  JobOptions file = options;
  file.sweep_file = base / "caf\xe9" / "small.json";
  EXPECT_THAT(refusal(file), testing::HasSubstr("rename the folder or the sweep file"));
  JobOptions environments = options;
  environments.environments_file = base / "caf\xe9.json";
  EXPECT_THAT(refusal(environments), testing::HasSubstr("rename the folder or the --environments file"));
}

}  // namespace
}  // namespace regatta::launcher
