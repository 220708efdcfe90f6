#include "regatta/base/suggestion.hpp"

#include <gtest/gtest.h>

namespace regatta {
namespace {

TEST(NearestName, ForgivesOneEditInAShortWord) {
  const std::vector<std::string> names{"sgd", "adam"};
  EXPECT_EQ(nearest_name("sgdd", names), "sgd");   // one too many
  EXPECT_EQ(nearest_name("sg", names), "sgd");     // one missing
  EXPECT_EQ(nearest_name("adem", names), "adam");  // one wrong
  EXPECT_EQ(nearest_name("sdg", names), "sgd");    // two swapped
  EXPECT_EQ(nearest_name("sgd", names), "sgd");
}

TEST(NearestName, ForgivesAThirdOfALongWord) {
  EXPECT_EQ(nearest_name("grpah", {"eager", "graph", "xla"}), "graph");
  EXPECT_EQ(nearest_name("graf", {"eager", "graph", "xla"}), "");  // two edits of four letters are too many
  EXPECT_EQ(nearest_name("binary_crossentropi", {"mse", "binary_crossentropy"}), "binary_crossentropy");
  EXPECT_EQ(nearest_name("binary_cross_entropy_loss", {"mse", "binary_crossentropy"}), "binary_crossentropy");
}

TEST(NearestName, IsEmptyIfNoneIsNear) {
  EXPECT_EQ(nearest_name("momentum", {"sgd", "adam"}), "");
  EXPECT_EQ(nearest_name("", {"sgd", "adam"}), "");
  EXPECT_EQ(nearest_name("sgd", {}), "");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'a'), {"sgd", "adam"}), "");
}

TEST(NearestName, IsNoNameWithoutALetterInCommon) {
  EXPECT_EQ(nearest_name("a", {"b"}), "");
  EXPECT_EQ(nearest_name("", {"x"}), "");
}

TEST(NearestName, PrefersTheNearest) { EXPECT_EQ(nearest_name("conv2", {"conv1d", "conv2d"}), "conv2d"); }

TEST(NearestNames, AreTheFewestEditsFirstHoweverFarTheyLie) {
  EXPECT_EQ(nearest_names("modle", {"batch", "mode", "model", "threads"}, 2),
            (std::vector<std::string>{"mode", "model"}));
  EXPECT_EQ(nearest_names("x", {"batch"}, 3), std::vector<std::string>{"batch"});
  EXPECT_EQ(nearest_names("x", {}, 3), std::vector<std::string>{});
}

}  // namespace
}  // namespace regatta
