// Messages between ranks on devices before they sum.
#include <gmock/gmock.h>

#include "native.hpp"
#include "regatta/base/error.hpp"

namespace regatta::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(DeviceGroup, TheIdIsWhatTheFirstRankTellsBehindItsDevice) {
  EXPECT_EQ(group_id_among({"GPU-a 00ff", "GPU-b"}), "00ff");
  EXPECT_EQ(group_id_among({"GPU-a 00ff"}), "00ff");
  EXPECT_THROW(group_id_among({"GPU-a", "GPU-b 00ff"}), InternalError);
  EXPECT_THROW(group_id_among({}), InternalError);
}

TEST(DeviceGroup, TwoRanksOnOneDeviceAreNamedWithWhatToDo) {
  try {
    group_id_among({"GPU-a 00ff", "GPU-b", "GPU-c", "GPU-b"});
    ADD_FAILURE() << "took them";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("ranks 1 and 3 compute on one device, GPU-b"),
                                    HasSubstr("as many agents as there are devices")));
  }
  EXPECT_THROW(group_id_among({"GPU-a 00ff", "GPU-a"}), InputError);
}

}  // namespace
}  // namespace regatta::worker
