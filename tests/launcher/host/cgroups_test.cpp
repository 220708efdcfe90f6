#include "host/cgroups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/host/machine_tree.hpp"

namespace regatta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CpuGroup, GoesFromTheOwnGroupToTheRoot) {
  MachineTree machine;
  machine.write("proc/self/cgroup", "0::/jobs/seven\n");
  machine.write("sys/fs/cgroup/jobs/seven/cpu.stat", "");
  EXPECT_THAT(cpu_group_folders(machine.folders(), "self"),
              ElementsAre(machine.path("sys/fs/cgroup/jobs/seven"), machine.path("sys/fs/cgroup/jobs"),
                          machine.path("sys/fs/cgroup/")));
}

TEST(CpuGroup, KnowsVersionOneAndIgnoresOtherControllers) {
  MachineTree machine;
  machine.write("proc/77/cgroup", "9:cpuset:/elsewhere\n4:cpu,cpuacct:/job\n");
  machine.write("sys/fs/cgroup/cpu/job/cpu.stat", "");
  machine.write("sys/fs/cgroup/cpu/elsewhere/cpu.stat", "");
  EXPECT_THAT(cpu_group_folders(machine.folders(), "77"),
              ElementsAre(machine.path("sys/fs/cgroup/cpu/job"), machine.path("sys/fs/cgroup/cpu/")));
}

TEST(CpuGroup, FindsTheContainersOwnGroupWhereThePathIsTheHosts) {
  MachineTree machine;
  machine.write("proc/self/cgroup", "1:cpu:/docker/0123\n");
  machine.write("sys/fs/cgroup/cpu/cpu.stat", "");
  EXPECT_THAT(cpu_group_folders(machine.folders(), "self"), ElementsAre(machine.path("sys/fs/cgroup/cpu/")));
}

TEST(CpuGroup, IsEmptyWithoutControlGroups) {
  const MachineTree machine;
  EXPECT_THAT(cpu_group_folders(machine.folders(), "self"), IsEmpty());
}

}  // namespace
}  // namespace regatta::launcher
