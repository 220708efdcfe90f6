#include <gmock/gmock.h>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Link, class Parse>
void expect_round_trips(const std::vector<testing::Example<Link>>& examples, Parse parse) {
  EXPECT_GE(examples.size(), std::variant_size_v<Link>);
  std::vector<bool> seen(std::variant_size_v<Link>);
  for (const auto& [message, header] : examples) {
    seen[message.index()] = true;
    const Frame frame = to_frame(message);
    EXPECT_EQ(frame.header, header);
    const Link read = parse(frame);
    EXPECT_EQ(read.index(), message.index());
    EXPECT_EQ(to_frame(read).header, header);
    EXPECT_EQ(to_frame(read).payload, frame.payload);
  }
  EXPECT_THAT(seen, ::testing::Each(true)) << "every message of the link has an example";
}

TEST(Codec, EveryWorkerMessageRoundTripsWithEveryField) {
  expect_round_trips(testing::worker_requests(), parse_worker_request);
  expect_round_trips(testing::worker_replies(), parse_worker_reply);
}

TEST(Codec, EverySpawnerMessageRoundTripsWithEveryField) {
  expect_round_trips(testing::spawner_requests(), parse_spawner_request);
  expect_round_trips(testing::spawner_replies(), parse_spawner_reply);
}

TEST(Codec, EveryAgentMessageRoundTripsWithEveryField) {
  expect_round_trips(testing::agent_requests(), parse_agent_request);
  expect_round_trips(testing::agent_replies(), parse_agent_reply);
}

TEST(Codec, SamplesAreLittleEndianRecordsOf32Bytes) {
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

TEST(Codec, ALossThatIsNotFiniteTravelsAsNull) {
  const Frame frame = to_frame(WorkerReply(Checked{{0}, {{std::nan(""), 1.5}}}));
  EXPECT_THAT(frame.header, HasSubstr("[[null,1.5]]"));
  const auto read = std::get<Checked>(parse_worker_reply(frame));
  EXPECT_TRUE(std::isnan(read.losses.at(0).at(0)));
  EXPECT_EQ(read.losses.at(0).at(1), 1.5);
}

TEST(Codec, TextThatIsNotUtf8IsReplacedRatherThanRefused) {
  const Frame frame = to_frame(WorkerReply(Error{std::nullopt, "reported", "bad \xff byte", true}));
  EXPECT_EQ(std::get<Error>(parse_worker_reply(frame)).message, "bad \xef\xbf\xbd byte");
}

TEST(Codec, AnErrorNeedsNoArm) {
  const Frame frame{R"({"type":"error","kind":"reported","message":"m","final":true})", ""};
  EXPECT_FALSE(std::get<Error>(parse_worker_reply(frame)).arm);
}

TEST(Codec, FieldsOfLaterVersionsAreIgnored) {
  EXPECT_EQ(std::get<Hello>(parse_worker_request({R"({"type":"hello","version":1,"later":[{}]})", ""})).version, 1);
}

TEST(Codec, EmptyJsonTextTravelsAsNull) {
  const Frame frame = to_frame(WorkerRequest(Prepare{{0}, "{}", "", "", ""}));
  EXPECT_THAT(frame.header, HasSubstr(R"("model":null)"));
  EXPECT_EQ(std::get<Prepare>(parse_worker_request(frame)).model, "");
}

TEST(Codec, JsonTextThatIsNoObjectIsOurOwnMistake) {
  EXPECT_THROW(to_frame(WorkerRequest(Prepare{{0}, "[1", "", "", ""})), InternalError);
}

struct Refusal {
  const char* header;
  const char* payload;
  const char* says;
  const char* says_too;
};

TEST(Codec, RefusalsNameTheMessageAndTheField) {
  const Refusal refusals[] = {
      {"nonsense", "", "not a JSON object", "nonsense"},
      {"{}", "", "'worker request'", "'type'"},
      {R"({"type":7})", "", "'worker request'", "'type'"},
      {R"({"type":"ready"})", "", "'type'", "a message of this link"},
      {R"({"type":"hello"})", "", "'hello', field 'version'", "found nothing"},
      {R"({"type":"hello","version":-1})", "", "'hello', field 'version'", "found -1"},
      {R"({"type":"hello","version":1.5})", "", "'version'", "an integer from 0 to 2147483647"},
      {R"({"type":"hello","version":2147483648})", "", "'version'", "2147483648"},
      {R"({"type":"check","arm":-1,"steps":3})", "", "'check', field 'arm'", "from 0 to 4294967295"},
      {R"({"type":"check","arm":4294967296,"steps":3})", "", "'arm'", "4294967296"},
      {R"({"type":"check","arm":1,"steps":9223372036854775808})", "", "'steps'", "9223372036854775808"},
      {R"({"type":"check","arm":1,"steps":"3"})", "", "'check', field 'steps'", "found \"3\""},
      {R"({"type":"check","arm":1,"steps":null})", "", "'steps'", "found null"},
      {R"({"type":"prepare","arm":1,"parameters":"{}","model":{},"weights_path":"","batches_path":""})", "",
       "'prepare', field 'parameters'", "an object"},
      {R"({"type":"prepare","arm":1,"parameters":{},"model":[],"weights_path":"","batches_path":""})", "",
       "'prepare', field 'model'", "an object"},
      {R"({"type":"prepare","arm":1,"parameters":{},"model":{},"weights_path":1,"batches_path":""})", "",
       "'weights_path'", "a string"},
      {R"({"type":"slice","arm":1,"phase":"idle","slice":0,"reentry_steps":0,"steps":1,"group":1})", "",
       "'slice', field 'phase'", "found idle"},
      {R"({"type":"stop"})", "x", "'stop', field 'bytes'", "no payload"},
  };
  for (const auto& [header, payload, says, says_too] : refusals) {
    const Frame frame{header, payload};
    EXPECT_THAT([&] { parse_worker_request(frame); },
                ThrowsMessage<PeerLost>(AllOf(HasSubstr(says), HasSubstr(says_too))))
        << header;
  }
}

TEST(Codec, RefusesSamplesThatCannotBe) {
  const auto samples_of = [](std::string payload) {
    return parse_worker_reply({R"({"type":"samples","arm":1,"last":true})", std::move(payload)});
  };
  const std::string good = to_frame(WorkerReply(Samples{{1}, true, testing::some_samples()})).payload;
  EXPECT_EQ(std::get<Samples>(samples_of(good)).samples.size(), 2U);
  EXPECT_THAT([&] { samples_of(good.substr(1)); },
              ThrowsMessage<PeerLost>(AllOf(HasSubstr("'samples'"), HasSubstr("63 bytes"))));
  const auto with_byte = [&](std::size_t at, char byte) {
    std::string bad = good;
    bad.at(at) = byte;
    return bad;
  };
  EXPECT_THROW(samples_of(with_byte(6, 4)), PeerLost) << "phase";
  EXPECT_THROW(samples_of(with_byte(8, 0)), PeerLost) << "no steps";
  EXPECT_THROW(samples_of(with_byte(31, '\xbf')), PeerLost) << "negative time";
}

TEST(Codec, RefusesNestedFieldsByTheirPath) {
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
