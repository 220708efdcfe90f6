#include "children/slurm_steps.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using Names = std::vector<std::string>;

constexpr const char* shown =
    "StepId=42.batch UserId=0 State=RUNNING NodeList=n1 SrunHost:Pid=(null):0\n"
    "StepId=42.0 UserId=0 State=RUNNING NodeList=n[1-2] SrunHost:Pid=n1:100\n"
    "StepId=42.1 UserId=0 State=RUNNING NodeList=n[1-2] SrunHost:Pid=n1.cluster.org:205\n"
    "StepId=42.2 UserId=0 State=RUNNING NodeList=n2 SrunHost:Pid=n2:205\n";

TEST(SlurmSteps, AreThoseOfSrunsOnThisHost) {
  EXPECT_EQ(steps_of(shown, "n1", {205, 7}), Names{"42.1"});
  EXPECT_EQ(steps_of(shown, "n2.cluster.org", {205}), Names{"42.2"});
  EXPECT_EQ(steps_of(shown, "n1", {7}), Names{});
  EXPECT_EQ(steps_of("", "n1", {205}), Names{});
}

/// Sets a variable of this process for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class AskingSlurm : public testing::Test {
 protected:
  void program(const std::string& name, const std::string& script) {
    const auto file = folder / name;
    std::ofstream(file) << "#!/bin/sh\n" << script;
    ::chmod(file.c_str(), 0700);
  }
  support::TemporaryFolder folder;
  Variable path{"PATH", folder.path().string() + ":/usr/bin:/bin"};
  Variable job{"SLURM_JOB_ID", "42"};
};

TEST_F(AskingSlurm, LeavesOutTheStepsThatAreGone) {
  program("squeue", "[ \"$4\" = 42 ] && printf '42.batch\\n42.0\\n42.2\\n'");
  EXPECT_EQ(living_steps({"42.1", "42.2"}), Names{"42.2"});
  EXPECT_EQ(living_steps({}), Names{});
}

TEST_F(AskingSlurm, TakesNoAnswerForNoEnd) {
  program("squeue", "exit 1");
  EXPECT_EQ(living_steps({"42.1"}), Names{"42.1"});
}

TEST_F(AskingSlurm, CancelsThemByName) {
  program("scancel", "echo \"$@\" > " + (folder / "said").string());
  cancel_steps({"42.1", "42.2"});
  std::string said;
  std::ifstream file(folder / "said");
  std::getline(file, said);
  EXPECT_EQ(said, "42.1 42.2");
}

TEST_F(AskingSlurm, AsksNobodyWhereNoSrunRuns) {
  program("scontrol", "touch " + (folder / "asked").string());
  EXPECT_EQ(steps_begun_here(), Names{});
  EXPECT_FALSE(std::filesystem::exists(folder / "asked"));
}

}  // namespace
}  // namespace regatta::launcher
