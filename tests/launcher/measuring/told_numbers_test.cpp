#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "measuring/measuring.hpp"

namespace regatta::launcher {
namespace {

Told all_of(const std::string& output) {
  Told told;
  take_lines(told, output);
  return told;
}

ToldNumbers told(const std::string& output) { return all_of(output).numbers; }

std::string unread(const std::string& output, const std::vector<std::string>& wanted = {}) {
  return text_of(all_of(output).unread, wanted);
}

/// An object in an object and so on, to a number.
std::string nested(std::size_t levels) {
  std::string text;
  for (std::size_t level = 0; level < levels; ++level) text += "{\"s\":";
  return text + "1" + std::string(levels, '}');
}

TEST(ToldNumbers, AreThoseOfLinesThatAreJsonObjects) {
  const auto numbers =
      told("starting {\"a\": 1}\n  {\"a\": 2, \"b\": \"x\", \"c\": true}\r\n[3]\n{\"d\": -1e-3}\n{broken\n");
  EXPECT_EQ(numbers, (ToldNumbers{{"a", {2}}, {"d", {-1e-3}}}));
}

TEST(ToldNumbers, LastOneWins) { EXPECT_EQ(told("{\"a\": 1}\n{\"a\": 2}").at("a").value, 2); }

TEST(ToldNumbers, MayHaveAUnit) {
  const auto numbers = told(R"({"a": {"value": 1, "unit": "K"}, "b": {"value": 2}, "c": {"unit": "K"}})");
  EXPECT_EQ(numbers, (ToldNumbers{{"a", {1, "K"}}, {"b", {2}}}));
  EXPECT_EQ(
      told("{\"a\": {\"value\": 1, \"unit\": \"" + std::string(15, 'x') + "\xc2\xb5" + std::string(40, 'x') + "\"}}")
          .at("a")
          .unit.size(),
      32U);
}

TEST(ToldNumbers, MayBeNoneOrInfinite) {
  const auto numbers = told(R"({"a": NaN, "b": -nan, "c": Infinity, "d": {"value": -inf}, "e": "NaN", "f \" NaN": 1})");
  EXPECT_TRUE(std::isnan(numbers.at("a").value));
  EXPECT_TRUE(std::isnan(numbers.at("b").value));
  EXPECT_EQ(numbers.at("c").value, INFINITY);
  EXPECT_EQ(numbers.at("d").value, -INFINITY);
  EXPECT_FALSE(numbers.contains("e")) << "a text";
  EXPECT_EQ(numbers.at("f \" NaN").value, 1);
}

TEST(ToldNumbers, OfWhateverIsPrintedEnd) {
  EXPECT_TRUE(told("{\"a\": nanny}\n{\"a\": }\n{\"a\": \"\\\n{}\n{-}\n{\"\\}").empty());
  EXPECT_TRUE(told(std::string(60000, '{') + "}").empty());
  EXPECT_EQ(unread("{\"s\":" + nested(100000) + "}"), "not read: 1 broken JSON object");
  EXPECT_EQ(told("{\"a\": 1, \"s\":" + nested(50) + "}"), (ToldNumbers{{"a", {1}}}));
}

TEST(ToldNumbers, StandInLinesWithBytesThatAreNoUtf8) {
  for (const char* unit : {"\xb0"
                           "C",
                           "\xb5m", "caf\xe9", "\xff\xfe", "\xc3"}) {
    const std::string line = std::string("{\"value\": 20.5, \"unit\": \"") + unit + "\"}";
    EXPECT_EQ(told(line), (ToldNumbers{{"value", {20.5}}})) << unit;
    EXPECT_EQ(unread(line), "") << unit;
  }
}

TEST(ToldNumbers, StandInObjectsOverSeveralLines) {
  EXPECT_EQ(told("log\n{\n  \"value\": 20.5,\n  \"n\": 3\n}\nlog {\n"), (ToldNumbers{{"n", {3}}, {"value", {20.5}}}));
  EXPECT_EQ(told("{\"a\": 1,\n \"b\": {\"value\": 2,\n \"unit\": \"}\"}}\r\n{\"c\": nan}").size(), 3U);
  EXPECT_EQ(told("{\n{\"a\": 1}\n"), (ToldNumbers{{"a", {1}}})) << "a brace alone hides nothing";
  EXPECT_EQ(unread("{\n\"a\": .5\n}\n{ a block {\n"), "not read: 1 broken JSON object");
  EXPECT_EQ(unread("{\"a\": 1,\n\"b\": 2\n"), "not read: 1 broken JSON object");
}

TEST(ToldNumbers, MayBeWhatCPrintsForNone) {
  const auto numbers = told("{\"a\": nan(0x8000), \"b\": -nan(ind), \"c\": 1}");
  EXPECT_TRUE(std::isnan(numbers.at("a").value));
  EXPECT_TRUE(std::isnan(numbers.at("b").value));
  EXPECT_EQ(numbers.at("c").value, 1);
}

TEST(UnreadWords, NameLinesThatAreNearlyJson) {
  for (const char* line : {R"({"a": .5, "b": 2})", R"({"a": +1})", R"({"a": 0x10})", R"({"a": 1.0D+02})", R"({'a': 1})",
                           R"({"a": 1,})", R"({"a": 1};)"}) {
    EXPECT_TRUE(told(line).empty()) << line;
    EXPECT_EQ(unread(line), "not read: 1 broken JSON object") << line;
  }
  EXPECT_EQ(unread("{\"a\": 01}\n{\"a\": .5}"), "not read: 2 broken JSON objects");
  EXPECT_EQ(unread("{thread 1} started\n{}\n{ 5 }\nint f() { return 1; }\n"), "");
}

TEST(UnreadWords, NameNumbersBeyondThoseOfADouble) {
  for (const std::string& number : std::vector<std::string>{
           "1e400", "-1e400", "1e-400", "-1.5E-400", "0." + std::string(400, '0') + "1", std::string(310, '9')}) {
    const std::string line = "{\"a\": " + number + ", \"b\": 2}";
    EXPECT_EQ(told(line), (ToldNumbers{{"b", {2}}})) << number;
    EXPECT_EQ(unread(line), "not read: a (beyond the numbers of a double)") << number;
    EXPECT_EQ(unread("{\"a\": {\"value\": " + number + "}}"), "not read: a (beyond the numbers of a double)");
  }
  EXPECT_EQ(told(R"({"a": 0.0, "b": -0e5, "c": 5e-324, "d": [1, 2], "e 1e400": 1})").size(), 4U);
}

TEST(UnreadWords, NameValuesAndUnitsThatAreNone) {
  EXPECT_EQ(unread(R"({"a": {"value": "1", "unit": "K"}})"), "not read: a (its \"value\" is a text)");
  EXPECT_EQ(unread(R"({"a": {"value": "NaN"}})"), "not read: a (its \"value\" is a text)");
  EXPECT_EQ(unread(R"({"a": {"value": null}})"), "not read: a (its \"value\" is null)");
  EXPECT_EQ(unread(R"({"a": {"value": [1]}})"), "not read: a (a list)");
  for (const char* line : {R"({"a": {"value": 1, "units": "ms"}})", R"({"a": {"value": 1, "Unit": "ms"}})",
                           R"({"a": {"value": 1, "unit": 3}})"})
    EXPECT_TRUE(told(line).empty()) << line << ": it would be another number";
  EXPECT_EQ(unread(R"({"a": {"value": 1, "units": "ms"}})"), "not read: a (\"units\" in place of \"unit\")");
  EXPECT_EQ(unread(R"({"a": {"value": 1, "unit": 3}})"), "not read: a (its \"unit\" is no text)");
  EXPECT_EQ(told(R"({"a": {"value": 1, "unit": null, "std": 0.1}})"), (ToldNumbers{{"a", {1}}}));
}

TEST(UnreadWords, NameColoursAndWideCharacters) {
  EXPECT_EQ(unread("\x1b[32m{\"a\": 1}\x1b[0m\n"), "not read: 1 JSON object with colour codes");
  EXPECT_EQ(unread("\x1b[1;39m{\x1b[0m\x1b[34;1m\"a\"\x1b[0m: 1}\x1b[m\n"),
            "not read: 1 JSON object with colour codes");
  EXPECT_EQ(unread("\x1b[32mdone\x1b[0m {x}\n\x1b[\n\x1b[32"), "");
  using namespace std::string_literals;
  EXPECT_EQ(unread("\xff\xfe{\0\"\0a\0\"\0:\0"
                   "1\0}\0\n\0"s),
            "not read: JSON in UTF-16 (print UTF-8)");
  EXPECT_EQ(unread("\xfe\xff\0{\0\"\0a\0\"\0:\0"
                   "1\0}\0\n"s),
            "not read: JSON in UTF-16 (print UTF-8)");
  EXPECT_EQ(told("\xef\xbb\xbf{\"a\": 1}"), (ToldNumbers{{"a", {1}}})) << "UTF-8 with a mark in front";
}

TEST(UnreadWords, SayThatEarlierLinesWereNotKept) {
  UnreadWords unread;
  unread.cut = true;
  EXPECT_EQ(text_of(unread, {}), "not read: earlier JSON lines, of which there were more than are kept");
}

TEST(UnreadWords, NameNumbersInOtherForms) {
  EXPECT_EQ(unread(":::MLLOG {\"value\": 20.5}"), "not read: 1 JSON object behind other text");
  EXPECT_EQ(unread("[{\"value\": 20.5}]"), "not read: 1 JSON list");
  EXPECT_EQ(unread(R"({"scores": {"acc": 1}, "loss": "0.5", "curve": [1, 2], "note": "x", "empty": []})"),
            "not read: curve (a list), loss (a text), scores (an object)");
  EXPECT_EQ(unread("INFO {\"message\": \"x\"}\n{\"note\": \"5 of 7\", \"is_on\": true}"), "");
}

TEST(UnreadWords, AreThoseOfWantedNames) {
  const char* const line = R"({"scores": {"acc": 1}, "loss": "0.5", "a": 1})";
  EXPECT_EQ(unread(line, {"a"}), "");
  EXPECT_EQ(unread(line, {"loss"}), "not read: loss (a text)");
}

TEST(NumberAt, FollowsKeysAndPositions) {
  const char* const json = R"({"scores": {"acc.top1": 0.5, "all": [1, {"value": 2}]}, "n": NaN})";
  EXPECT_EQ(number_at(json, "scores.acc.top1"), 0.5);
  EXPECT_EQ(number_at(json, "scores.all.1.value"), 2);
  EXPECT_TRUE(std::isnan(number_at(json, "n").value()));
  for (const char* path : {"scores", "scores.all.2", "other", "scores.all.x", "n.n"})
    EXPECT_FALSE(number_at(json, path)) << path;
  EXPECT_FALSE(number_at("no JSON", "a"));
  EXPECT_FALSE(number_at(nested(100000), "s")) << "deeper than is read";
  EXPECT_FALSE(number_at(std::string(100000, '['), "s"));
  EXPECT_EQ(number_at(nested(3), "s.s.s"), 1);
}

TEST(NoteResult, OfRunsInUnlikeUnitsFailTheTrial) {
  sweep::ProgramResults results;
  note_result(results, 0, "a", {1.2, "s"});
  note_result(results, 1, "a", {900, "ms"});
  EXPECT_EQ(sweep::results_json(results), R"({"a":{"unit":"s","values":[1.2,0.9]}})");
  EXPECT_THROW(note_result(results, 2, "a", {3, "K"}), measure::ArmEnded);
}

}  // namespace
}  // namespace regatta::launcher
