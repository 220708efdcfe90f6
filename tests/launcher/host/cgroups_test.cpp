#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host.hpp"
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

TEST(OomKills, AreThoseOfTheOwnGroupAndNotOfTheHost) {
  MachineTree machine;
  machine.write("proc/vmstat", "nr_free_pages 9\noom_kill 41\n");
  machine.write("proc/self/cgroup", "0::/jobs/seven\n");
  machine.write("sys/fs/cgroup/jobs/memory.events", "low 0\noom 9\noom_kill 8\n");
  machine.write("sys/fs/cgroup/jobs/seven/memory.events", "low 0\noom 3\noom_kill 3\n");
  EXPECT_EQ(oom_kills(machine.folders(), "self"), 3U);
  machine.write("sys/fs/cgroup/jobs/seven/memory.events.local", "low 0\noom 2\noom_kill 2\n");
  EXPECT_EQ(oom_kills(machine.folders(), "self"), 2U) << "groups below it are others";
}

TEST(OomKills, AreCountedByVersionOneToo) {
  MachineTree machine;
  machine.write("proc/77/cgroup", "9:cpuset:/elsewhere\n4:memory:/docker/0123\n0::/\n");
  machine.write("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(oom_kills(machine.folders(), "77"), 5U);
}

TEST(OomKills, AreNoneWhereNothingCountsThem) {
  MachineTree machine;
  machine.write("proc/vmstat", "oom_kill 41\n");
  EXPECT_EQ(oom_kills(machine.folders(), "self"), 0U);
  machine.write("proc/self/cgroup", "0::/jobs\n");
  EXPECT_EQ(oom_kills(machine.folders(), "self"), 0U);
}

}  // namespace
}  // namespace regatta::launcher
