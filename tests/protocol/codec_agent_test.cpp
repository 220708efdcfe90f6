#include <gmock/gmock.h>

#include "protocol/round_trip.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(AgentCodec, EveryAgentMessageRoundTripsWithEveryField) {
  testing::expect_round_trips(testing::agent_requests(), parse_agent_request);
  testing::expect_round_trips(testing::agent_replies(), parse_agent_reply);
}

TEST(AgentCodec, RefusesNestedFieldsByTheirPath) {
  const std::string tasks = to_frame(AgentRequest(Grant{{1}, 1, {1}, {}, {}, {}, testing::some_tasks(1)})).payload;
  const auto grant = [&](const char* dropped) {
    return parse_agent_request(
        {std::string(R"({"type":"grant","first":1,"count":1,"attempt":1,"dropped":)") + dropped + "}", tasks});
  };
  EXPECT_NO_THROW(grant("[]"));
  EXPECT_THAT([&] { grant("{}"); }, ThrowsMessage<PeerLost>(HasSubstr("'grant', field 'dropped'")));
  EXPECT_THAT([&] { grant("[1]"); }, ThrowsMessage<PeerLost>(HasSubstr("'grant', field 'dropped'")));
  EXPECT_THAT([&] { grant(R"([{"arm":1,"kind":"bored","message":""}])"); },
              ThrowsMessage<PeerLost>(AllOf(HasSubstr("'grant.dropped', field 'kind'"), HasSubstr("bored"))));
}

TEST(AgentCodec, RefusesAGrantWithoutATaskForEachOfItsBlocks) {
  const std::string tasks = to_frame(AgentRequest(Grant{{1}, 2, {1}, {}, {}, {}, testing::some_tasks(2)})).payload;
  const auto grant = [&](const char* count, const std::string& payload) {
    return parse_agent_request(
        {std::string(R"({"type":"grant","first":1,"attempt":1,"dropped":[],"count":)") + count + "}", payload});
  };
  EXPECT_NO_THROW(grant("2", tasks));
  EXPECT_THAT([&] { grant("2", ""); }, ThrowsMessage<PeerLost>(HasSubstr("'grant', payload: ")));
  EXPECT_THAT([&] { grant("1", tasks); }, ThrowsMessage<PeerLost>(HasSubstr("more follows than the tasks")));
  EXPECT_THAT([&] { grant("4294967295", tasks); }, ThrowsMessage<PeerLost>(HasSubstr("expected 1 to 64")));
}

}  // namespace
}  // namespace regatta::protocol
