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
  const auto grant = [](const char* dropped) {
    return parse_agent_request(
        {std::string(R"({"type":"grant","first":1,"count":1,"attempt":1,"dropped":)") + dropped + "}", ""});
  };
  EXPECT_NO_THROW(grant("[]"));
  EXPECT_THAT([&] { grant("{}"); }, ThrowsMessage<PeerLost>(HasSubstr("'grant', field 'dropped'")));
  EXPECT_THAT([&] { grant("[1]"); }, ThrowsMessage<PeerLost>(HasSubstr("'grant', field 'dropped'")));
  EXPECT_THAT([&] { grant(R"([{"arm":1,"kind":"bored","message":""}])"); },
              ThrowsMessage<PeerLost>(AllOf(HasSubstr("'grant.dropped', field 'kind'"), HasSubstr("bored"))));
}

}  // namespace
}  // namespace regatta::protocol
