// Messages about text that is not JSON, in the words of a person who looks over one's shoulder.
#include "json/mistake.hpp"

#include <gtest/gtest.h>

#include "json/input_error.hpp"
#include "regatta/json/document.hpp"

namespace regatta::json {
namespace {

std::string said_of(const std::string& text) {
  return input_error([&] { parse(text, "f"); });
}

TEST(JsonMistake, AMissingCommaIsNamedOnItsOwnLine) {
  EXPECT_EQ(said_of("{\"a\": \"x\"\n  \"b\": 32}"),
            "f:1: found no comma behind \"x\" (column 10), expected one before \"b\" on line 2");
  EXPECT_EQ(said_of("[1, -1000\",\n  2]"),
            "f:1: found no comma behind -1000 (column 10), expected one before what follows")
      << "a text without an end on its line";
  EXPECT_EQ(said_of("{\"a\": [32 64]}"), "f:1: found no comma behind 32 (column 10), expected one before what follows");
  EXPECT_EQ(said_of("{\"a\": {\n}\n\n\"b\": 1}"),
            "f:2: found no comma behind the } (column 2), expected one before \"b\" on line 4");
  EXPECT_EQ(said_of("[1; 2]"), "f:1: found a semicolon (column 3), expected a comma");
}

TEST(JsonMistake, WhatIsNotClosedNamesWhereItBegan) {
  EXPECT_EQ(said_of("{\"a\":\n[1, 2}"), "f:2: found a } (column 6), expected a ] for the [ of line 2");
  EXPECT_EQ(said_of("{\"a\": {\n\"b\": 1\n"),
            "f:3: found the end of the file (column 1), expected a } for the { of line 1");
  EXPECT_EQ(said_of("{\"a\": \"x\n}"),
            "f:1: found a text that does not end on its line (column 7), expected a \" at its end");
  EXPECT_EQ(said_of("[\"x"), "f:1: found a text that does not end (column 2), expected a \" at its end");
}

TEST(JsonMistake, QuotesThatAreMissingOrSingle) {
  EXPECT_EQ(said_of("{'a': 1}"),
            "f:1: found a single quote (column 2), expected texts in double quotes: \"like this\"");
  EXPECT_EQ(said_of("{a: 1}"), "f:1: found the key a without quotes (column 2), expected \"a\" in double quotes");
  EXPECT_EQ(said_of("{\"a\": torch}"),
            "f:1: found torch without quotes (column 7), expected \"torch\" in double quotes");
  EXPECT_EQ(
      said_of("{\"a\": 5ms}"),
      "f:1: found 5ms without quotes (column 7), expected a number as JSON writes it, such as 0.5 or 1e-3, or the "
      "text \"5ms\"");
  for (const char* range : {"1:64", "1..64", "1-64"})
    EXPECT_EQ(said_of(std::string("{\"batch\": ") + range + "}"),
              std::string("f:1: found ") + range +
                  " without quotes (column 11), expected a range: {\"linear\": [1, 64]} or {\"geometric\": [1, 64]}");
  EXPECT_EQ(said_of("[.5]").substr(0, 37), "f:1: found .5 without quotes (column ");
  EXPECT_EQ(said_of("[01]").substr(0, 37), "f:1: found 01 without quotes (column ");
}

TEST(JsonMistake, WordsOfPython) {
  EXPECT_EQ(said_of("[True]"), "f:1: found True (column 2), expected true");
  EXPECT_EQ(said_of("[None]"), "f:1: found None (column 2), expected null");
  EXPECT_EQ(said_of("[NaN]"), "f:1: found NaN (column 2), expected a finite number");
}

TEST(JsonMistake, KeysAndColons) {
  EXPECT_EQ(said_of("{\"a\" 1}"),
            "f:1: found no colon behind \"a\" (column 5), expected one between a key and its value");
  EXPECT_EQ(said_of("{\"a\" = 1}"), "f:1: found a = behind \"a\" (column 6), expected a colon");
  EXPECT_EQ(said_of("{1: 2}"), "f:1: found a value without a key (column 2), expected a key, a text in double quotes");
}

TEST(JsonMistake, CommentsAndCommas) {
  EXPECT_EQ(said_of("[1, # one\n2]"),
            "f:1: found a comment that begins with # (column 5), expected // in front of a comment");
  EXPECT_EQ(said_of("[1,,2]"),
            "f:1: found a comma where a value should be (column 4), expected one comma between two values");
  EXPECT_EQ(said_of("[1] # one"), "f:1: found more text after the end of the document, expected one JSON document");
}

TEST(JsonMistake, OfStrangeCharacters) {
  EXPECT_EQ(said_of("[\"C:\\data\"]"), "f:1: found a lone \\ in a text (column 5), expected \\\\ for a backslash");
  EXPECT_EQ(said_of("[\"a\tb\"]"),
            "f:1: found a control character in a text (column 4), expected it escaped, such as \\t for a tab");
  EXPECT_EQ(said_of("[\u201ca\u201d]"), "f:1: found \"\u201c\" where a value should be (column 2), expected a value");
}

/// A text of the parser's that has no words here keeps the parser's own; none is called right that it refuses.
TEST(JsonMistake, NothingIsFoundInWhatIsJson) {
  for (const char* text :
       {"{\"a\": [1, -0.5, 1e-3, 1E+5, true, false, null, \"\\u00e9\\n\"], \"b\": {}, \"c\": []}", " 1 "})
    EXPECT_FALSE(find_mistake(text, max_depth)) << text;
}

}  // namespace
}  // namespace regatta::json
