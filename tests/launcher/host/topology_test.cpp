#include "host/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <numeric>
#include <set>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Domains of the given sizes; cores are numbered through.
Topology machine(const std::vector<int>& sizes) {
  Topology topology;
  int next = 0;
  for (int size : sizes) {
    MemoryDomain cores(static_cast<std::size_t>(size));
    std::iota(cores.begin(), cores.end(), next);
    next += size;
    topology.domains.push_back(cores);
  }
  return topology;
}

TEST(Slots, AreWholeMemoryDomainsByDefault) {
  const Topology topology = machine({4, 4});
  ASSERT_EQ(default_slots(topology), 2);
  const Slot second = slot_for(topology, 1, 2);
  EXPECT_THAT(second.cpus, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(second.flags, stats::Flags());
}

TEST(Slots, SpanDomainsWhenThereAreFewerRanks) {
  const Topology topology = machine({2, 2, 2});
  EXPECT_THAT(slot_for(topology, 0, 1).cpus, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(slot_for(topology, 0, 2).cpus, ElementsAre(0, 1));
  EXPECT_THAT(slot_for(topology, 1, 2).cpus, ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(slot_for(topology, 1, 2).flags, stats::Flags());
}

TEST(NodeParts, AreTheWholeMaskOfARankThatIsBoundToItsOwn) {
  const std::vector<std::vector<int>> masks = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(part_of_node(masks, rank).place, 0);
    EXPECT_EQ(part_of_node(masks, rank).ranks, 1);
  }
}

TEST(NodeParts, ShareOutAMaskThatSeveralRanksHave) {
  const std::vector<std::vector<int>> masks = {{0, 1}, {2, 3}, {0, 1}, {2, 3}, {0, 1}};
  EXPECT_EQ(part_of_node(masks, 4).place, 2);
  EXPECT_EQ(part_of_node(masks, 4).ranks, 3);
  EXPECT_EQ(part_of_node(masks, 1).place, 0);
  EXPECT_EQ(part_of_node(masks, 1).ranks, 2);
}

TEST(NodeParts, NameRanksWhoseMasksOverlapInPart) {
  const std::vector<std::vector<int>> masks = {{0, 1, 2, 8}, {4}, {2, 3}};
  for (const int rank : {0, 2}) {
    try {
      part_of_node(masks, rank);
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("ranks 0 and 2 of this node may use cores 0-2,8 and 2-3"));
    }
  }
  EXPECT_EQ(part_of_node(masks, 1).ranks, 1);
}

TEST(NodeParts, HaveNeighboursWhereAnotherRankMayUseTheirDomains) {
  Topology topology = machine({4});
  topology.threads = {0, 1, 2, 3};
  const std::vector<std::vector<int>> inside = {{0, 1}, {2, 3}}, outside = {{0, 1, 2, 3}, {4, 5}};
  EXPECT_TRUE(shares_domain(topology, inside, 0));
  EXPECT_FALSE(shares_domain(topology, outside, 0));
}

TEST(Slots, SayThatTheyHaveNeighboursInTheirDomain) {
  const Topology topology = machine({4});
  EXPECT_THAT(slot_for(topology, 0, 2).cpus, ElementsAre(0, 1));
  EXPECT_THAT(slot_for(topology, 1, 2).cpus, ElementsAre(2, 3));
  EXPECT_EQ(slot_for(topology, 1, 2).flags, stats::Flags{stats::Flag::neighbours});
}

TEST(Slots, AreFlaggedOnlyWhereADomainIsShared) {
  const Topology topology = machine({4, 4});
  EXPECT_EQ(slot_for(topology, 0, 3).flags, stats::Flags{stats::Flag::neighbours});
  EXPECT_EQ(slot_for(topology, 2, 3).flags, stats::Flags());
  EXPECT_THAT(slot_for(topology, 2, 3).cpus, ElementsAre(4, 5, 6, 7));
}

TEST(Slots, SayThatCoresAreShared) {
  const Topology topology = machine({2});
  const Slot third = slot_for(topology, 2, 3);
  EXPECT_THAT(third.cpus, ElementsAre(0));
  EXPECT_EQ(third.flags, (stats::Flags{stats::Flag::neighbours, stats::Flag::cores_shared}));
}

TEST(Slots, GoWhereTheCoresAreInUnequalDomains) {
  const Topology topology = machine({1, 7});
  for (int rank = 0; rank < 8; ++rank) {
    const Slot slot = slot_for(topology, rank, 8);
    EXPECT_THAT(slot.cpus, ElementsAre(rank));
    EXPECT_EQ(slot.flags.any(), rank != 0) << "rank " << rank;
  }
}

TEST(Slots, NeverOverlapWhileThereAreEnoughCoresAndLeaveNoneOut) {
  for (const std::vector<int>& sizes : {std::vector{1}, {8}, {3, 5}, {4, 4, 4, 4}, {1, 2, 9}, {7, 1, 1}}) {
    const Topology topology = machine(sizes);
    const int cores = std::accumulate(sizes.begin(), sizes.end(), 0);
    for (int ranks = 1; ranks <= cores; ++ranks) {
      std::multiset<int> used;
      for (int rank = 0; rank < ranks; ++rank) {
        const Slot slot = slot_for(topology, rank, ranks);
        EXPECT_FALSE(slot.cpus.empty());
        EXPECT_FALSE(slot.flags.has(stats::Flag::cores_shared)) << ranks << " ranks";
        used.insert(slot.cpus.begin(), slot.cpus.end());
      }
      EXPECT_EQ(used.size(), static_cast<std::size_t>(cores)) << ranks << " ranks";
      EXPECT_EQ(std::set<int>(used.begin(), used.end()).size(), used.size()) << ranks << " ranks";
    }
  }
}

TEST(Slots, RejectARankBeyondTheirNumber) {
  EXPECT_THROW(slot_for(machine({2}), 2, 2), InternalError);
  EXPECT_THROW(slot_for(machine({2}), -1, 2), InternalError);
}

/// hwloc describes an invented machine while this lives.
class Synthetic {
 public:
  explicit Synthetic(const char* description) { ::setenv("HWLOC_SYNTHETIC", description, 1); }
  ~Synthetic() { ::unsetenv("HWLOC_SYNTHETIC"); }
};

TEST(ReadTopology, TakesOneHardwareThreadOfEachCoreByLastLevelCache) {
  const Synthetic invented("pack:2 l3:2 core:2 pu:2");
  EXPECT_THAT(read_topology().domains,
              ElementsAre(ElementsAre(0, 2), ElementsAre(4, 6), ElementsAre(8, 10), ElementsAre(12, 14)));
}

TEST(ReadTopology, FallsBackToMemoryNodesWithoutSuchACache) {
  const Synthetic invented("numa:2 core:3 pu:1");
  EXPECT_THAT(read_topology().domains, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
}

/// This process runs on `cpus` only while this lives.
class Pinned {
 public:
  explicit Pinned(int cpu) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    ::sched_setaffinity(0, sizeof only, &only);
  }
  ~Pinned() {
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
    ::sched_setaffinity(0, sizeof before_, &before_);
  }
  [[nodiscard]] int cpus_before() const { return CPU_COUNT(&before_); }

 private:
  cpu_set_t before_{};
};

std::size_t cores_of(const Topology& topology) {
  std::size_t cores = 0;
  for (const MemoryDomain& domain : topology.domains) cores += domain.size();
  return cores;
}

int some_cpu() { return read_topology().domains.back().back(); }

TEST(ReadTopology, KeepsToTheMaskThatTheUserGave) {
  const int cpu = some_cpu();
  const Pinned pinned(cpu);
  EXPECT_THAT(read_topology().domains, ElementsAre(ElementsAre(cpu)));
}

TEST(ReadTopology, WidensTheMaskThatMpirunGaveToThatOfMpirun) {
  const std::size_t all = cores_of(read_topology());
  const Pinned pinned(some_cpu());
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_EQ(cores_of(read_topology()), all) << "of " << pinned.cpus_before() << " usable hardware threads";
}

}  // namespace
}  // namespace regatta::launcher
