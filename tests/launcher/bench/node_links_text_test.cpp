#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/bench.hpp"

namespace regatta::launcher {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Three nodes, of which the first two have one kernel.
NodeLinks three_nodes() {
  return {{{0, "a", "k1"}, {2, "b", "k1"}, {4, "c", "k2"}},
          {{0, 1, {{20e-6, 3e9, 4e9, 0}}},
           {0, 2, {{30e-6, 2e9, 1e9, 5e-3}, {10e-6, 2.5e9, 1.5e9, 6e-3}, {50e-6, 3e9, 2e9, 9e-3}}},
           {1, 2, {{40e-6, 2e9, 3e9, 4e-3}}}}};
}

TEST(NodeLinksText, TellsMedianAndRangeOfEachWay) {
  const std::string text = to_text(three_nodes());
  EXPECT_THAT(text, HasSubstr("a (0)                c (4)                   30.0 us   2.50 [2.00, 3.00]"));
  EXPECT_THAT(text, HasSubstr("1.50 [1.00, 2.00]"));
  EXPECT_THAT(text, HasSubstr("slowest: a (0) and c (4), 1.50 GB/s"));
}

TEST(NodeLinksText, ClocksOfOneKernelAreOneAndOthersAreToldByTheShortestTrip) {
  const std::string text = to_text(three_nodes());
  EXPECT_THAT(text, HasSubstr("one clock"));
  EXPECT_THAT(text, HasSubstr("+6000 us, +-5"));
  EXPECT_DOUBLE_EQ(clock_offset(three_nodes().links[1]).error_seconds, 5e-6);
}

TEST(NodeLinksText, OnOneNodeThereIsNothingToMeasure) {
  EXPECT_THAT(to_text({{{0, "a", "k"}}, {}}), HasSubstr("all ranks share the memory of one node, a"));
}

TEST(NodeLinksText, APairHasNoSlowest) {
  NodeLinks two = three_nodes();
  two.links.resize(1);
  EXPECT_THAT(to_text(two), Not(HasSubstr("slowest")));
}

TEST(NodeLinksText, JsonNamesNodesByRank) {
  const auto document = nlohmann::json::parse(to_json(three_nodes()));
  EXPECT_EQ(document["nodes"][1]["host"], "b");
  const auto& link = document["links"][1];
  EXPECT_EQ(link["a"], 0);
  EXPECT_EQ(link["b"], 4);
  EXPECT_EQ(link["there"]["median"], 2.5e9);
  EXPECT_EQ(link["back"]["low"], 1e9);
  EXPECT_EQ(link["round_trip"]["high"], 50e-6);
  EXPECT_EQ(link["clock_offset"], 6e-3);
  EXPECT_FALSE(link["one_clock"]);
  EXPECT_TRUE(document["links"][0]["one_clock"]);
}

}  // namespace
}  // namespace regatta::launcher
