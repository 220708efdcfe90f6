#include "measuring/gang_inbox.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

using protocol::GangDone;
using protocol::GangEnd;
using protocol::GangFailed;
using protocol::GangPrepare;

constexpr AgentId old_leader{0}, new_leader{1}, limb{2};
const protocol::GangPlace old_place{{7}, {0}, {0}};
const protocol::GangPlace new_place{{8}, {0}, {0}};

/// The new leader's grant may overtake the end of the old one's gang.
TEST(GangInbox, KeepsOrdersOfTheNextLeader) {
  GangInbox inbox;
  inbox.add({new_leader, GangPrepare{new_place}});
  inbox.add({old_leader, GangEnd{old_place}});
  EXPECT_TRUE(std::holds_alternative<GangEnd>(inbox.order_of(old_leader)->message));
  EXPECT_FALSE(inbox.order_of(old_leader));
  EXPECT_TRUE(std::holds_alternative<GangPrepare>(inbox.order_of(new_leader)->message));
  EXPECT_FALSE(inbox.order_of(new_leader));
}

TEST(GangInbox, KeepsTheOrderOfOneSender) {
  GangInbox inbox;
  for (const std::uint32_t block : {1U, 2U, 3U}) {
    inbox.add({old_leader, GangPrepare{{{block}, {0}, {0}}}});
    inbox.add({new_leader, GangPrepare{{{block + 10}, {0}, {0}}}});
  }
  for (const std::uint32_t block : {1U, 2U, 3U})
    EXPECT_EQ(std::get<GangPrepare>(inbox.order_of(old_leader)->message).place.block.value, block);
}

TEST(GangInbox, GivesAnswersToLeadersOnly) {
  GangInbox inbox;
  inbox.add({new_leader, GangPrepare{new_place}});
  inbox.add({limb, GangDone{old_place, "", "", {}, {}, {}}});
  inbox.add({new_leader, GangFailed{.place = old_place, .message = "late"}});
  EXPECT_FALSE(inbox.order_of(limb));
  EXPECT_EQ(inbox.answer()->from, limb);
  EXPECT_EQ(inbox.answer()->from, new_leader);
  EXPECT_FALSE(inbox.answer());
  EXPECT_TRUE(inbox.order_of(new_leader));
}

}  // namespace
}  // namespace regatta::launcher
