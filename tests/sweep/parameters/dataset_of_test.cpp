#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(DatasetOf, IsTheUsersOwnAndNoneThatRegattaBringsAlong) {
  Sweep sweep;
  sweep.datasets["cells"].data = "/d/x.npy";
  Parameters parameters;
  EXPECT_EQ(dataset_of(sweep, parameters), nullptr) << "nothing is read";
  parameters[Param::dataset] = std::string("digits");
  EXPECT_EQ(dataset_of(sweep, parameters), nullptr);
  parameters[Param::dataset] = std::string("cells");
  ASSERT_NE(dataset_of(sweep, parameters), nullptr);
  EXPECT_EQ(dataset_of(sweep, parameters)->data, "/d/x.npy");
}

TEST(ShippedDatasets, AreTheLevelsOfTheTable) {
  EXPECT_TRUE(is_shipped_dataset("synthetic"));
  EXPECT_TRUE(is_shipped_dataset("digits"));
  EXPECT_FALSE(is_shipped_dataset("cells"));
}

}  // namespace
}  // namespace regatta::sweep
