#include "ranks/mpirun.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace regatta::launcher {
namespace {

using ::testing::ElementsAre;

constexpr const char* memory = "OMPI_MCA_btl_vader_backing_directory";
constexpr const char* session = "OMPI_MCA_orte_local_tmpdir_base";
constexpr const char* session_of_all = "OMPI_MCA_orte_tmpdir_base";

ScratchFolders scratch() { return {"/tmp/regatta-1", "/dev/shm/regatta-1"}; }

MpirunSpec spec() { return {3, {"/opt/regatta", "run", "s.json"}, "out/s.regatta"}; }

/// The environment as mpirun and srun make it, put back at the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Mpirun, StartsTheRanksWithoutBindingThem) {
  EXPECT_THAT(mpirun_arguments(spec()),
              ElementsAre("mpirun", "--quiet", "-n", "3", "--bind-to", "none", "--oversubscribe", "--stdin", "none",
                          "/opt/regatta", "run", "s.json"));
}

TEST(Mpirun, KeepsItsOwnFilesInFoldersOfTheRun) {
  const Variable none(session_of_all, nullptr);
  auto variables = mpirun_variables(scratch(), 3);
  EXPECT_EQ(variables[memory], "/dev/shm/regatta-1");
  EXPECT_EQ(variables[session], "/tmp/regatta-1");
}

TEST(Mpirun, LooksForFabricsAndSshOnlyWhereThereMayBeOtherHosts) {
  EXPECT_EQ(mpirun_variables(scratch(), 3).at("OMPI_MCA_pml"), "ob1");
  EXPECT_EQ(mpirun_variables(scratch(), 3).at("OMPI_MCA_plm"), "isolated") << "no ssh is looked for";
  const Variable job("SLURM_JOB_ID", "7");
  EXPECT_FALSE(mpirun_variables(scratch(), 3).contains("OMPI_MCA_pml"));
  EXPECT_FALSE(mpirun_variables(scratch(), 3).contains("OMPI_MCA_plm"));
}

TEST(Mpirun, TellsNoFolderOfSessionsToOtherHosts) {
  const Variable none(session_of_all, nullptr);
  EXPECT_EQ(mpirun_variables(scratch(), 3).count(session_of_all), 0U);
  const Variable chosen(session_of_all, "/scratch");
  EXPECT_EQ(mpirun_variables(scratch(), 3).count(session), 0U) << "Open MPI refuses both";
}

TEST(Mpirun, ARankForgetsAFolderThatItsHostLacks) {
  const Variable missing(memory, "/nonexistent/of-another-host");
  const Variable of_mpirun(session, "/nonexistent/of-mpirun");
  forget_folders_of_another_host();
  EXPECT_EQ(::getenv(memory), nullptr);
  EXPECT_EQ(::getenv(session), nullptr) << "Open MPI refuses it beside the base that it tells its ranks";
}

TEST(Mpirun, ARankKeepsAFolderThatItsHostHas) {
  const std::string here = std::filesystem::temp_directory_path().string();
  const Variable there(memory, here.c_str());
  forget_folders_of_another_host();
  ASSERT_NE(::getenv(memory), nullptr);
  EXPECT_EQ(::getenv(memory), here);
}

}  // namespace
}  // namespace regatta::launcher
