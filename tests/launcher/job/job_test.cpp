#include "job/job.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "regatta/base/error.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

/// A folder with a sweep and a cache of environments in it.
class JobTest : public ::testing::Test {
 protected:
  JobTest() {
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    options_.sweep_file = folder_ / "s.json";
  }
  ~JobTest() override { ::unsetenv("XDG_CACHE_HOME"); }

  void sweep_of(const std::string& engine) const {
    std::ofstream(options_.sweep_file) << R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10", "engine": ")" +
                                              engine + "\"}}";
  }
  std::string error() const {
    try {
      read_job(options_);
    } catch (const InputError& problem) {
      return problem.what();
    }
    return "accepted";
  }

  support::TemporaryFolder folder_;
  JobOptions options_;
};

TEST_F(JobTest, MayNameAnEnvironmentOfTheCacheFolder) {
  sweep_of("numpy@old");
  EXPECT_NE(error().find("found \"numpy@old\""), std::string::npos) << error();
  const auto python = folder_ / "cache/regatta/engines/old/bin/python";
  std::filesystem::create_directories(python.parent_path());
  std::ofstream(python) << "#!/bin/sh\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  EXPECT_EQ(error(), "accepted");
}

TEST_F(JobTest, MayNameAnEnvironmentOfTheFileThatWasGiven) {
  sweep_of("numpy@mine");
  options_.environments_file = folder_ / "environments.json";
  EXPECT_NE(error().find("environments.json': No such file"), std::string::npos) << error();
  std::ofstream(options_.environments_file).flush();
  EXPECT_NE(error().find("environments.json:1"), std::string::npos) << error();
  std::ofstream(options_.environments_file) << R"({"mine": {"engine": "numpy", "python": "bin/python"}})";
  EXPECT_EQ(error(), "accepted");
  std::ofstream(options_.environments_file) << R"({"mine": {"engine": "numpy", "python": "bin/python"}} // mine)";
  EXPECT_EQ(error(), "accepted") << "a comment at its end ends nothing else";
}

TEST_F(JobTest, IsTheSweepWithItsChangesItsTimeAndTheEnvironmentsThatWereGiven) {
  sweep_of("numpy@mine");
  options_.environments_file = folder_ / "environments.json";
  std::ofstream(options_.environments_file) << R"({"mine": {"engine": "numpy", "python": "bin/python"}})";
  options_.set = {"batch=8,16"};
  options_.rerun = Rerun::undecided;
  options_.time = "90s";
  const Job job = read_job(options_);
  EXPECT_EQ(job.environments.at("mine").python, (folder_ / "bin/python").string());
  EXPECT_EQ(job.plan.trials.size(), 2U);
  EXPECT_EQ(job.sweep.measure.total_seconds, 90);
}

TEST_F(JobTest, LeavesOutOptionalEnginesThatAreNotHere) {
  sweep_of("numpy@gone?");
  EXPECT_NE(error().find("(numpy@gone is left out: there is no environment gone)"), std::string::npos) << error();
  std::ofstream(options_.sweep_file) << R"({"regatta": 1, "name": "s", "axes": {"model": "mlp-10",
    "engine": ["native?", "jax?", "numpy@gone?", "torch@here?"]},
    "environments": {"here": {"engine": "torch", "python": "no/such/python"}}})";
  options_.set = {"batch=8,16"};
  options_.only = {"batch=16"};
  const Job job = read_job(options_);
  std::vector<std::string> lines = left_out_lines(job);
  std::erase_if(lines, [](const std::string& line) { return line.find("engine jax") != std::string::npos; });
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "left out: engine numpy@gone (there is no environment gone)");
  EXPECT_EQ(lines[1].find("left out: engine torch@here ('" + (folder_ / "no/such/python").string()), 0U) << lines[1];
  EXPECT_EQ(job.plan.trials.front().parameters[sweep::Param::batch], sweep::Value(std::int64_t{16}));
}

TEST_F(JobTest, RefusesATimeThatIsNone) {
  sweep_of("native");
  for (const char* time : {"soon", "0s", "-5s"}) {
    options_.time = time;
    EXPECT_NE(error().find("--for: found '" + std::string(time)), std::string::npos) << error();
  }
}

}  // namespace
}  // namespace regatta::launcher
