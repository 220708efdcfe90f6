// The batch job of this process, by the variables that Slurm sets.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <string>

#include "host/host.hpp"

namespace regatta::launcher {
namespace {

class BatchJobOfThisProcess : public testing::Test {
 protected:
  BatchJobOfThisProcess() {
    for (const char* const name : {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_PARTITION", "SLURM_JOB_ACCOUNT",
                                   "SLURM_RESTART_COUNT", "SLURMD_NODENAME"}) {
      if (const char* const value = ::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
  }
  ~BatchJobOfThisProcess() override {
    for (const char* const name : {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_PARTITION", "SLURM_JOB_ACCOUNT",
                                   "SLURM_RESTART_COUNT", "SLURMD_NODENAME"})
      ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(BatchJobOfThisProcess, IsNoneOutsideOne) {
  EXPECT_EQ(batch_job(), results::BatchJob{});
  EXPECT_EQ(batch_node(), "");
  EXPECT_EQ(read_host().node, "");
  ::setenv("SLURM_JOB_PARTITION", "main", 1);
  EXPECT_EQ(batch_job(), results::BatchJob{}) << "a partition that the user prefers is no job";
}

TEST_F(BatchJobOfThisProcess, IsWhatSlurmSays) {
  ::setenv("SLURM_JOB_ID", "4711", 1);
  ::setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
  ::setenv("SLURM_JOB_PARTITION", "main", 1);
  ::setenv("SLURMD_NODENAME", "n2", 1);
  EXPECT_EQ(batch_job(), (results::BatchJob{"4711", "n[1-2]", "main", "", 0})) << "its first life, without accounting";
  ::setenv("SLURM_JOB_ACCOUNT", "physics", 1);
  ::setenv("SLURM_RESTART_COUNT", "3", 1);
  EXPECT_EQ(batch_job(), (results::BatchJob{"4711", "n[1-2]", "main", "physics", 3}));
  EXPECT_EQ(batch_node(), "n2");
  EXPECT_EQ(read_host().node, "n2");
}

}  // namespace
}  // namespace regatta::launcher
