#include <gmock/gmock.h>

#include <cmath>

#include "protocol/round_trip.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

using ::testing::HasSubstr;

TEST(WorkerCodec, EveryWorkerMessageRoundTripsWithEveryField) {
  testing::expect_round_trips(testing::worker_requests(), parse_worker_request);
  testing::expect_round_trips(testing::worker_replies(), parse_worker_reply);
}

TEST(WorkerCodec, SamplesAreLittleEndianRecordsOf32Bytes) {
  const stats::Sample sample{.slice = 0x04030201,
                             .arm = 0x0605,
                             .phase = stats::Phase::steady,
                             .flags = 8,
                             .steps = 9,
                             .rank = 10,
                             .start_seconds = 1,
                             .seconds = 2};
  const Frame frame = to_frame(WorkerReply(Samples{{1}, true, {sample}}));
  EXPECT_EQ(frame.payload, std::string("\x01\x02\x03\x04\x05\x06\x03\x08\x09\0\0\0\x0a\0\0\0"
                                       "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40",
                                       32));
}

TEST(WorkerCodec, SamplesBringOnlyFactsThatAWorkerMayTell) {
  const auto facts = [](const std::string& more) {
    const Frame frame{R"({"type":"samples","arm":1,"last":true)" + more + "}", ""};
    return std::get<Samples>(parse_worker_reply(frame)).facts;
  };
  EXPECT_TRUE(facts("").empty());
  EXPECT_TRUE(facts(R"(,"input_wait":null,"why_stopped":"decided","peak_memory":5)").empty());
  EXPECT_EQ(facts(R"(,"input_wait":2)"), (sweep::Facts{{sweep::Fact::input_wait, 2.0}}));
  EXPECT_THROW(facts(R"(,"input_wait":-1)"), PeerLost);
  EXPECT_THROW(facts(R"(,"input_wait":"long")"), PeerLost);
  EXPECT_THROW(facts(R"(,"input_bound_by":3)"), PeerLost);
}

TEST(WorkerCodec, StructuresThatCannotBeAreRefusedByTheirField) {
  const auto refusal = [](const std::string& message) {
    try {
      parse_worker_reply({message, ""});
    } catch (const PeerLost& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  const auto of_samples = [&](const std::string& more) {
    return refusal(R"({"type":"samples","arm":1,"last":true)" + more + "}");
  };
  EXPECT_EQ(of_samples(R"(,"results":"{\"a\":{\"unit\":\"\",\"values\":[1]}}")"), "");
  EXPECT_THAT(of_samples(R"(,"results":"{\"a\":3}")"), HasSubstr("message 'samples', field 'results': results of"));
  EXPECT_THAT(of_samples(R"(,"results":{"a":3})"), HasSubstr("expected a string"));
  EXPECT_THAT(of_samples(R"(,"exchange_buckets":"[3]")"), HasSubstr("field 'exchange_buckets': times of an exchange"));
  EXPECT_THAT(refusal(R"({"type":"trained","arm":1,"learned":{"end":"won"}})"),
              HasSubstr("message 'trained', field 'learned': the results of a leg: it ended with"));
  EXPECT_THAT(refusal(R"({"type":"trained","arm":1,"learned":null})"), HasSubstr("expected an object"));
}

TEST(WorkerCodec, ALossThatIsNotFiniteTravelsAsNull) {
  const Frame frame = to_frame(WorkerReply(Checked{{0}, {{std::nan(""), 1.5}}}));
  EXPECT_THAT(frame.header, HasSubstr("[[null,1.5]]"));
  const auto read = std::get<Checked>(parse_worker_reply(frame));
  EXPECT_TRUE(std::isnan(read.losses.at(0).at(0)));
  EXPECT_EQ(read.losses.at(0).at(1), 1.5);
}

TEST(WorkerCodec, AnErrorNeedsNoArm) {
  const Frame frame{R"({"type":"error","kind":"reported","message":"m","final":true})", ""};
  EXPECT_FALSE(std::get<Error>(parse_worker_reply(frame)).arm);
}

TEST(WorkerCodec, EmptyJsonTextTravelsAsNull) {
  const Frame frame = to_frame(WorkerRequest(Prepare{{0}, {}, "", "", ""}));
  EXPECT_THAT(frame.header, HasSubstr(R"("model":null)"));
  EXPECT_EQ(std::get<Prepare>(parse_worker_request(frame)).model, "");
}

TEST(WorkerCodec, JsonTextThatIsNoObjectIsOurOwnMistake) {
  EXPECT_THROW(to_frame(WorkerRequest(Prepare{{0}, {}, "[1", "", ""})), InternalError);
}

}  // namespace
}  // namespace regatta::protocol
