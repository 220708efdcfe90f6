#include "protocol/round_trip.hpp"

namespace regatta::protocol {
namespace {

TEST(SpawnerCodec, EverySpawnerMessageRoundTripsWithEveryField) {
  testing::expect_round_trips(testing::spawner_requests(), parse_spawner_request);
  testing::expect_round_trips(testing::spawner_replies(), parse_spawner_reply);
}

}  // namespace
}  // namespace regatta::protocol
