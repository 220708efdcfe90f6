#include "protocol/json.hpp"

#include <gtest/gtest.h>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

TEST(Json, TextThatIsNotUtf8IsReplacedRatherThanRefused) {
  const Frame frame = to_frame(WorkerReply(Error{std::nullopt, "reported", "bad \xff byte", true}));
  EXPECT_EQ(std::get<Error>(parse_worker_reply(frame)).message, "bad \xef\xbf\xbd byte");
}

TEST(Json, KeepsTheOrderOfKeys) {
  EXPECT_EQ(dump(parse_object(R"({"b":1,"a":{"d":2,"c":3}})")), R"({"b":1,"a":{"d":2,"c":3}})");
}

TEST(Json, OnlyAnObjectIsAHeader) {
  for (const char* text : {"", "[]", "7", "{", "{\"a\":}", "{\"a\":1}x", "{\"a\":\"\xff\"}", "null"}) {
    EXPECT_THROW(parse_object(text), PeerLost) << text;
  }
}

TEST(Json, BracesAndColonsInsideStringsCountForNothing) {
  const std::string text = "{\"a\":\"" + std::string(100'000, '{') + std::string(100'000, ':') + "\\\"{\"}";
  EXPECT_NO_THROW(parse_object(text));
}

TEST(Json, ExcerptsAreShortAndPrintable) {
  EXPECT_EQ(excerpt("a\nb\x01"), "a?b?");
  EXPECT_EQ(excerpt(std::string(61, 'x')), std::string(60, 'x') + "...");
}

}  // namespace
}  // namespace regatta::protocol
