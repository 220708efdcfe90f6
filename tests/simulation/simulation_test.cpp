// Coordinator, agents and codec in virtual time: kills, drains, lost ranks, slow and failing disks, clocks
// that are set anew, resumes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <iostream>

#include "life.hpp"

namespace regatta::simulation {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Simulation, KeepsItsPromisesWhateverHappens) {
  const std::uint64_t first = number_from("REGATTA_SEED", 1);
  const std::uint64_t seeds = number_from("REGATTA_SEEDS", 1000);
  Life all;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    try {
      const Life life = live(seed);
      all.sessions += life.sessions;
      all.crashes += life.crashes;
      all.lost_agents += life.lost_agents;
      all.drains += life.drains;
      all.failed_disks += life.failed_disks;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << " (again: REGATTA_SEED=" << seed << " REGATTA_SEEDS=1)";
    }
  }
  std::cout << seeds << " seeds from " << first << ": " << all.sessions << " sessions, " << all.crashes << " crashes, "
            << all.lost_agents << " of them by an agent that was not heard, " << all.drains << " drains, "
            << all.failed_disks << " failed disks\n";
  if (seeds < 1000) return;
  EXPECT_GT(all.crashes, 100);
  EXPECT_GT(all.lost_agents, 100);
  EXPECT_GT(all.drains, 100);
  EXPECT_GT(all.failed_disks, 100);
}

}  // namespace
}  // namespace regatta::simulation
