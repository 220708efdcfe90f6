#include "run/queued_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using testing::ElementsAre;

constexpr const char* sweep = R"({"regatta": 1, "name": "heat", "axes": {"engine": "native", "model": "noop"}})";

class QueuedJobs : public testing::Test {
 protected:
  QueuedJobs() {
    results::spill(folder / "my heat.json", sweep);
    results::spill(folder / "heat.json", sweep);
    results::spill(folder / "notes.txt", "no sweep");
  }

  [[nodiscard]] QueuedJob job(std::vector<std::string> words) const {
    return {"4711", "PENDING", "Priority", folder.path(), std::move(words)};
  }

  /// Puts a squeue that prints this into PATH.
  void answer(const std::string& text) {
    std::filesystem::create_directories(folder / "bin");
    results::spill(folder / "bin/answer", text);
    results::spill(folder / "bin/squeue", "#!/bin/sh\ncat '" + (folder / "bin/answer").string() + "'\n");
    ASSERT_EQ(::chmod((folder / "bin/squeue").c_str(), 0700), 0);
    ::setenv("PATH", ((folder / "bin").string() + ":" + before).c_str(), 1);
  }

  ~QueuedJobs() override { ::setenv("PATH", before.c_str(), 1); }

  support::TemporaryFolder folder;
  std::string before = ::getenv("PATH");
};

TEST_F(QueuedJobs, AreReadFromWhatSqueuePrints) {
  EXPECT_THAT(
      parse_queue("7|PENDING|Priority|/users/me|slurm/sweep.sbatch heat.json --out a|b\n"
                  "8_[1-3]|RUNNING|None|/home|/tmp/job\n"
                  "squeue: warning\n"),
      ElementsAre(
          QueuedJob{"7", "PENDING", "Priority", "/users/me", {"slurm/sweep.sbatch", "heat.json", "--out", "a|b"}},
          QueuedJob{"8_[1-3]", "RUNNING", "None", "/home", {"/tmp/job"}}));
  EXPECT_TRUE(parse_queue("").empty());
}

TEST_F(QueuedJobs, NameTheFolderOfTheirRun) {
  EXPECT_EQ(run_folder_of(job({"slurm/sweep.sbatch", "heat.json"})), folder / "results/heat.regatta");
  EXPECT_EQ(run_folder_of(job({"x", "--rerun", "failed", "heat.json", "--out=there"})), folder / "there/heat.regatta");
  EXPECT_EQ(run_folder_of(job({"x", "heat.json", "--out", "/data"})), "/data/heat.regatta");
}

TEST_F(QueuedJobs, OfOtherKindsNameNone) {
  EXPECT_EQ(run_folder_of(job({"solver.sh"})), std::nullopt);
  EXPECT_EQ(run_folder_of(job({"solver.sh", "notes.txt"})), std::nullopt);
  EXPECT_EQ(run_folder_of(job({"solver.sh", "gone.json"})), std::nullopt);
  EXPECT_EQ(run_folder_of(job({})), std::nullopt);
}

TEST_F(QueuedJobs, AreFoundByTheFolderThatTheyWillWorkOn) {
  const std::string here = folder.path().string();
  answer("1|RUNNING|None|" + here + "|solver.sh notes.txt\n" +         //
         "2|PENDING|Resources|" + here + "|s heat.json --out other\n"  //
         + "3|PENDING|Priority|" + here + "|s heat.json\n");
  const auto found = queued_job(folder / "results/heat.regatta");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, "3");
  EXPECT_EQ(queued_job(folder / "other/heat.regatta")->id, "2");
  EXPECT_EQ(queued_job(folder / "results/cold.regatta"), std::nullopt);
}

TEST_F(QueuedJobs, AreNoneWhereSlurmDoesNotAnswer) {
  answer("");
  EXPECT_EQ(queued_job(folder / "results/heat.regatta"), std::nullopt);
  results::spill(folder / "bin/squeue", "#!/bin/sh\nexit 1\n");
  EXPECT_EQ(queued_job(folder / "results/heat.regatta"), std::nullopt);
}

TEST_F(QueuedJobs, SayWhyTheyWait) {
  QueuedJob waiting = job({});
  EXPECT_EQ(to_text(waiting), "job 4711 waits in the queue (Priority)");
  waiting.state = "CONFIGURING";
  EXPECT_EQ(to_text(waiting), "job 4711 for it is configuring");
}

}  // namespace
}  // namespace regatta::launcher
