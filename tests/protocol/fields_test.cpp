#include "protocol/fields.hpp"

#include <gmock/gmock.h>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Fields, FieldsOfLaterVersionsAreIgnored) {
  EXPECT_EQ(std::get<Hello>(parse_worker_request({R"({"type":"hello","version":1,"later":[{}]})", ""})).version, 1);
}

TEST(Fields, AnOpenArmIsReadAsJournalsCalledItOnce) {
  const std::string head = R"({"type":"block_result","block":4,"attempt":2,"start_wall_seconds":1.5,)"
                           R"("end_wall_seconds":2.5,"arms":[{"arm":3,"outcome":{"status":")";
  const std::string tail =
      R"("},"environment":"e","verified":"no","facts":{}}],"flags":"","calibration":"","undecided":0,"visits_seconds":0})";
  for (const char* status : {"open", "lost"}) {
    const auto result = std::get<BlockResult>(parse_agent_reply({head + status + tail, ""}));
    EXPECT_TRUE(std::holds_alternative<sweep::Lost>(result.arms.at(0).outcome)) << status;
  }
}

struct Refusal {
  const char* header;
  const char* payload;
  const char* says;
  const char* says_too;
};

TEST(Fields, RefusalsNameTheMessageAndTheField) {
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

TEST(Fields, RefusesSamplesThatCannotBe) {
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
  EXPECT_THROW(samples_of(with_byte(6, 6)), PeerLost) << "phase";
  EXPECT_THROW(samples_of(with_byte(6, 4)), PeerLost) << "the start of a process has no steps";
  EXPECT_THROW(samples_of(with_byte(8, 0)), PeerLost) << "no steps";
  EXPECT_THROW(samples_of(with_byte(31, '\xbf')), PeerLost) << "negative time";
}

TEST(Fields, SamplesComeBackFromTheirBytes) {
  const auto samples = unpack(pack(testing::some_samples()));
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].slice, 1U);
  EXPECT_EQ(samples[0].phase, stats::Phase::reentry);
  EXPECT_EQ(samples[1].rank, 3U);
  EXPECT_EQ(samples[1].seconds, 0.25);
  EXPECT_TRUE(unpack("").empty());
}

}  // namespace
}  // namespace regatta::protocol
