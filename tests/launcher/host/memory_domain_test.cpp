#include <gtest/gtest.h>

#include <cstdlib>

#include "host/host.hpp"

namespace regatta::launcher {
namespace {

TEST(MemoryDomain, IsTheSameForAgentsOfOneHostAlone) {
  EXPECT_EQ(memory_domain(0), memory_domain(0));
  EXPECT_NE(memory_domain(0), memory_domain(1)) << "MPI counts them as two hosts";
  const std::string before = memory_domain(0);
  ::setenv("SLURMD_NODENAME", "node-2", 1);
  EXPECT_NE(memory_domain(0), before) << "the batch system counts them as two nodes";
  ::unsetenv("SLURMD_NODENAME");
}

}  // namespace
}  // namespace regatta::launcher
