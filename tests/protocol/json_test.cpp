#include "protocol/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

TEST(Json, TextThatIsNotUtf8IsReplacedRatherThanRefused) {
  const Frame frame = to_frame(WorkerReply(Error{std::nullopt, "reported", "bad \xff byte", true}));
  EXPECT_EQ(std::get<Error>(parse_worker_reply(frame)).message, "bad \xef\xbf\xbd byte");
}

TEST(Json, KeepsTheOrderOfKeys) {
  const std::string text = R"({"b":1,"a":{"d":2,"c":3}})";
  const Document document(text);
  std::string keys;
  for (const auto& [key, value] : document.root().members()) keys += key + "=" + std::string(value.text()) + " ";
  EXPECT_EQ(keys, R"(b=1 a={"d":2,"c":3} )");
}

TEST(Json, OnlyAnObjectIsAHeader) {
  for (const char* text : {"", "[]", "7", "{", "{\"a\":}", "{\"a\":1}x", "{\"a\":\"\xff\"}", "null"}) {
    EXPECT_THROW(Document{text}, PeerLost) << text;
  }
}

TEST(Json, BracesAndColonsInsideStringsCountForNothing) {
  const std::string text = "{\"a\":\"" + std::string(100'000, '{') + std::string(100'000, ':') + "\\\"{\"}";
  EXPECT_NO_THROW(Document{text});
}

/// The same value, read by a library.
void expect_same(const Value& value, const nlohmann::ordered_json& expected) {
  switch (value.kind()) {
    case Value::Kind::object: {
      const auto members = value.members();
      if (members.size() != expected.size()) return;  // a key stands twice
      for (const auto& [key, inner] : members) expect_same(inner, expected.at(key));
      return;
    }
    case Value::Kind::array: {
      const auto elements = value.elements();
      ASSERT_EQ(elements.size(), expected.size());
      for (std::size_t i = 0; i < elements.size(); ++i) expect_same(elements[i], expected[i]);
      return;
    }
    case Value::Kind::string:
      EXPECT_EQ(value.string(), expected.get<std::string>());
      return;
    case Value::Kind::number:
      EXPECT_EQ(value.real_number(), expected.get<double>());
      EXPECT_EQ(value.unsigned_number().has_value(), expected.is_number_unsigned()) << value.text();
      return;
    case Value::Kind::boolean:
      EXPECT_EQ(value.text() == "true", expected.get<bool>());
      return;
    case Value::Kind::null:
      EXPECT_TRUE(expected.is_null());
  }
}

/// Of pieces that a grammar can stumble over, most of them no JSON.
std::string some_text(std::mt19937& random) {
  static constexpr std::string_view pieces[] = {"{",       "}",
                                                "[",       "]",
                                                ",",       ":",
                                                "\"a\"",   "\"b\":",
                                                "\"\"",    "0",
                                                "-1",      "01",
                                                "1.5",     "1.",
                                                ".5",      "1e3",
                                                "1E+2",    "-",
                                                "true",    "null",
                                                "false",   "tru",
                                                " ",       "\t",
                                                "{}",      "[]",
                                                "\"",      "\\\"",
                                                "\\u00e9", "\xc3\xa9",
                                                "\xff",    "\x01",
                                                "\"c\":1", "\"d\":{\"e\":[1,2]}"};
  std::string text = "{";
  for (auto left = random() % 12; left > 0; --left) text += pieces[random() % std::size(pieces)];
  return text + "}";
}

TEST(Json, ReadsWhatALibraryReadsAndRefusesTheRest) {
  std::mt19937 random(7);
  int read = 0;
  for (int round = 0; round < 50'000; ++round) {
    const std::string text = some_text(random);
    const auto expected = nlohmann::ordered_json::parse(text, nullptr, false);
    try {
      const Document document(text);
      ASSERT_TRUE(expected.is_object()) << text;
      ASSERT_NO_FATAL_FAILURE(expect_same(document.root(), expected)) << text;
      ++read;
    } catch (const PeerLost&) {
      ASSERT_TRUE(expected.is_discarded()) << text;
    }
  }
  EXPECT_GT(read, 300);
}

TEST(Json, WritesNumbersThatReadBackToTheSameDouble) {
  for (const double value : {0.0, 1.0, -2.5, 0.1, 1e300, 5e-324, 123456789.123456789}) {
    std::string text = "{\"a\":";
    append_real(text, value);
    text += "}";
    EXPECT_EQ(Document(text).root().find("a")->real_number(), value) << text;
    EXPECT_FALSE(Document(text).root().find("a")->unsigned_number()) << text;
  }
  std::string none;
  append_real(none, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(none, "null");
}

TEST(Json, AKeyWithAnEscapeIsTheSameKey) {
  const std::string text = R"({"\u0061":1})";
  EXPECT_EQ(Document(text).root().find("a")->unsigned_number(), 1U);
}

TEST(Json, ExcerptsAreShortAndPrintable) {
  EXPECT_EQ(excerpt("a\nb\x01"), "a?b?");
  EXPECT_EQ(excerpt(std::string(61, 'x')), std::string(60, 'x') + "...");
}

}  // namespace
}  // namespace regatta::protocol
