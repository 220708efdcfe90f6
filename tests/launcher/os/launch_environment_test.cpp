#include "os/launch_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// The variables of the second task of `srun -n2` in a job of Slurm 22.05, with the site's and the user's own among
/// them.
const std::vector<std::string> of_step = {"HOME=/users/me",
                                          "LANG=C",
                                          "OMPI_MCA_btl=tcp,self",
                                          "PMIX_BFROP_BUFFER_TYPE=PMIX_BFROP_BUFFER_NON_DESC",
                                          "PMIX_DSTORE_21_BASE_PATH=/spool/pmix.1.0",
                                          "PMIX_GDS_MODULE=ds21,ds12,hash",
                                          "PMIX_HOSTNAME=n1",
                                          "PMIX_NAMESPACE=slurm.pmix.1.0",
                                          "PMIX_RANK=1",
                                          "PMIX_SECURITY_MODE=native",
                                          "PMIX_SERVER_TMPDIR=/spool/pmix.1.0",
                                          "PMIX_SERVER_URI41=pmix-server.1;tcp4://127.0.0.1:35803",
                                          "PMIX_SYSTEM_TMPDIR=/tmp",
                                          "PMIX_VERSION=4.2.2",
                                          "SLURM_CONF=/etc/slurm.conf",
                                          "SLURM_CPUS_ON_NODE=2",
                                          "SLURM_CPU_BIND=quiet,mask_cpu:0x1,0x2",
                                          "SLURM_CPU_BIND_LIST=0x1,0x2",
                                          "SLURM_CPU_BIND_TYPE=mask_cpu:",
                                          "SLURM_CPU_BIND_VERBOSE=quiet",
                                          "SLURM_DISTRIBUTION=block",
                                          "SLURM_GTIDS=0,1",
                                          "SLURM_JOB_ID=1",
                                          "SLURM_JOB_NODELIST=n1",
                                          "SLURM_LAUNCH_NODE_IPADDR=127.0.0.1",
                                          "SLURM_LOCALID=1",
                                          "SLURM_MPI_TYPE=pmix",
                                          "SLURM_NODEID=0",
                                          "SLURM_NTASKS=2",
                                          "SLURM_PMIXP_ABORT_AGENT_PORT=40707",
                                          "SLURM_PMIX_MAPPING_SERV=(vector,(0,1,2))",
                                          "SLURM_PROCID=1",
                                          "SLURM_SRUN_COMM_HOST=127.0.0.1",
                                          "SLURM_SRUN_COMM_PORT=33101",
                                          "SLURM_STEPID=0",
                                          "SLURM_STEP_ID=0",
                                          "SLURM_STEP_LAUNCHER_PORT=33101",
                                          "SLURM_STEP_NODELIST=n1",
                                          "SLURM_STEP_NUM_NODES=1",
                                          "SLURM_STEP_NUM_TASKS=2",
                                          "SLURM_STEP_TASKS_PER_NODE=2",
                                          "SLURM_TASKS_PER_NODE=2",
                                          "SLURM_TASK_PID=24219",
                                          "SLURM_UMASK=0022",
                                          "SRUN_CPUS_PER_TASK=1",
                                          "SRUN_DEBUG=3"};

/// The variables of a rank of `mpirun` (Open MPI 4.1), with the user's own among them.
const std::vector<std::string> of_mpirun = {"HOME=/users/me",
                                            "IPATH_NO_BACKTRACE=1",
                                            "OMPI_ALLOW_RUN_AS_ROOT=1",
                                            "OMPI_APP_CTX_NUM_PROCS=1",
                                            "OMPI_COMMAND=env",
                                            "OMPI_COMM_WORLD_LOCAL_RANK=0",
                                            "OMPI_COMM_WORLD_SIZE=1",
                                            "OMPI_FILE_LOCATION=/tmp/ompi",
                                            "OMPI_FIRST_RANKS=0",
                                            "OMPI_MCA_btl=tcp,self",
                                            "OMPI_MCA_ess=^singleton",
                                            "OMPI_MCA_ess_base_jobid=840040449",
                                            "OMPI_MCA_initial_wdir=/",
                                            "OMPI_MCA_mpi_oversubscribe=0",
                                            "OMPI_MCA_orte_hnp_uri=8400.0;tcp://192.0.2.2:1",
                                            "OMPI_MCA_orte_launch=1",
                                            "OMPI_MCA_pml=ob1",
                                            "OMPI_MCA_pmix=^s1,s2,cray,isolated",
                                            "OMPI_MCA_shmem_RUNTIME_QUERY_hint=mmap",
                                            "OMPI_NUM_APP_CTX=1",
                                            "OMPI_UNIVERSE_SIZE=2",
                                            "PMIX_ID=840040449.0",
                                            "PMIX_RANK=0"};

KeptEnvironment kept_of(const std::vector<std::string>& variables) {
  std::vector<const char*> environment;
  for (const std::string& variable : variables) environment.push_back(variable.c_str());
  environment.push_back(nullptr);
  return without_launch(environment.data());
}

std::string outer_of(const std::vector<std::string>& variables) {
  std::vector<const char*> environment;
  for (const std::string& variable : variables) environment.push_back(variable.c_str());
  environment.push_back(nullptr);
  return outer_environment(environment.data());
}

std::vector<std::string> texts(const std::vector<const char*>& entries) { return {entries.begin(), entries.end()}; }

TEST(LaunchEnvironment, OfAStepKeepsTheJobAndTheUsersOwn) {
  const KeptEnvironment kept = kept_of(of_step);
  EXPECT_THAT(texts(kept.entries), ElementsAre("HOME=/users/me", "LANG=C", "OMPI_MCA_btl=tcp,self",
                                               "SLURM_CONF=/etc/slurm.conf", "SLURM_CPUS_ON_NODE=2", "SLURM_JOB_ID=1",
                                               "SLURM_JOB_NODELIST=n1", "SLURM_NTASKS=2", "SLURM_TASKS_PER_NODE=2"));
  EXPECT_THAT(kept.before_launch, ElementsAre("SLURM_OVERLAP=1"));
}

TEST(LaunchEnvironment, OfARankOfMpirunKeepsTheUsersOwn) {
  EXPECT_THAT(texts(kept_of(of_mpirun).entries),
              ElementsAre("HOME=/users/me", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_pml=ob1"));
  EXPECT_THAT(kept_of(of_mpirun).before_launch, IsEmpty());
}

TEST(LaunchEnvironment, IsWhatItWasBeforeTheLaunchWhereThatIsKnown) {
  const std::vector<std::string> before = {"HOME=/users/me",
                                           "SLURM_NTASKS=4",
                                           "SLURM_TASKS_PER_NODE=2(x2)",
                                           "SLURM_PROCID=0",
                                           "OMPI_MCA_orte_tmpdir_base=/scratch",
                                           "SRUN_CPUS_PER_TASK=4"};
  std::vector<std::string> variables = of_step;
  variables.push_back(std::string(outer_variable) + "=" + outer_of(before));
  const KeptEnvironment kept = kept_of(variables);
  EXPECT_THAT(texts(kept.entries), ElementsAre("HOME=/users/me", "LANG=C"));
  EXPECT_THAT(kept.before_launch,
              UnorderedElementsAre("SLURM_NTASKS=4", "SLURM_TASKS_PER_NODE=2(x2)", "SLURM_PROCID=0",
                                   "OMPI_MCA_orte_tmpdir_base=/scratch", "SRUN_CPUS_PER_TASK=4", "SLURM_OVERLAP=1"));
}

TEST(LaunchEnvironment, OfALaunchWithinALaunchIsThatBeforeTheFirst) {
  std::vector<std::string> variables = of_step;
  variables.push_back(std::string(outer_variable) + "=SLURM_NTASKS=4");
  EXPECT_EQ(outer_of(variables), "SLURM_NTASKS=4");
}

TEST(LaunchEnvironment, OfAMachineWithoutABatchSystemIsEmpty) {
  EXPECT_EQ(outer_of({"HOME=/users/me", "SLURP=1"}), "");
  const KeptEnvironment kept = kept_of({"HOME=/users/me", "no variable", std::string(outer_variable) + "="});
  EXPECT_THAT(texts(kept.entries), ElementsAre("HOME=/users/me"));
  EXPECT_THAT(kept.before_launch, IsEmpty());
}

}  // namespace
}  // namespace regatta::launcher
