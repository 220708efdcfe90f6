// Every way in which a sweep file can be wrong, with the exact text that a person reads.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ReaderErrors, TextThatIsNotJson) {
  EXPECT_EQ(error_of(""), "s.json:1: found no JSON: the text is empty, expected JSON");
  EXPECT_EQ(error_of("{\"regatta\": 1\n\"name\": \"x\"}"),
            "s.json:1: found no comma behind 1 (column 14), expected one before \"name\" on line 2");
  EXPECT_EQ(error_of("{\"regatta\": 1e999}"),
            "s.json:1: found a number that no double holds, expected one of at most 1.8e308");
  EXPECT_EQ(error_of(std::string("{}\n\0{}", 6)), "s.json:2: found a NUL byte, expected JSON");
  EXPECT_EQ(error_of("{\"name\":\n\"\xff\"}"),
            "s.json:2: found the byte 0xff that is not UTF-8, expected JSON in UTF-8");
  EXPECT_EQ(error_of("{\"name\": \"a\\u0000b\"}"),
            "s.json:1: found a NUL character in a text, expected printable text");
  EXPECT_EQ(error_of(std::string(1'000'000, '[')),
            "s.json:1: found lists or objects nested deeper than 64, expected at most 64");
  const std::string endless = error_of("{\"name\": \"" + std::string(100'000, 'x'));
  EXPECT_LT(endless.size(), 300U) << endless;
}

TEST(ReaderErrors, TwoDocuments) {
  const std::string problem = "found more text after the end of the document, expected one JSON document";
  EXPECT_EQ(error_of("{\"regatta\": 1}\n}"), "s.json:2: " + problem);
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"noop\"}}\n{\"regatta\": 1"), "s.json:3: " + problem);
  EXPECT_EQ(error_of("{}{}"), "s.json:1: " + problem);
  EXPECT_EQ(error_of("{},"), "s.json:1: " + problem);
}

TEST(ReaderErrors, WrongEncodings) {
  const std::string utf16_little("\xff\xfe{\0\"\0", 6);
  EXPECT_EQ(error_of(utf16_little), "s.json:1: found the byte 0xff that is not UTF-8, expected JSON in UTF-8");
  EXPECT_EQ(error_of("{\"regatta\": 1,\n\"name\": \"caf\xe9\"}"),  // Latin-1
            "s.json:2: found the byte 0xe9 that is not UTF-8, expected JSON in UTF-8");
  EXPECT_EQ(error_of(std::string("{\0\"\0", 4)), "s.json:1: found a NUL byte, expected JSON");  // UTF-16 without a mark
  EXPECT_EQ(error_of("\xef\xbb\xbf" + file_with("\"axes\": {\"model\": \"noop\"}")), "no error");
}

TEST(ReaderErrors, DeepFiles) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "{\"a\":\n";
  EXPECT_EQ(error_of(deep), "s.json:65: found lists or objects nested deeper than 64, expected at most 64");
}

TEST(ReaderErrors, TopLevel) {
  EXPECT_EQ(error_of("[]"), "s.json:1: found an empty list, expected an object");
  EXPECT_EQ(error_of("{}"), "s.json:1: /regatta: found nothing, expected 1, the version of the sweep file's grammar");
  EXPECT_EQ(error_of("{\"regatta\":\n2}"),
            "s.json:2: /regatta: found 2, expected 1, the version of the sweep file's grammar");
  EXPECT_EQ(error_of("{\"regatta\": 1}"), "s.json:1: /name: found nothing, expected " + a_name);
  EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": \"x\"}"),
            "s.json:1: /axes: found nothing, expected an object of axes");
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": \"mlp-10\"},\n\"taks\": 1"),
      "s.json:3: /taks: found the unknown key \"taks\", expected \"regatta\", \"name\", \"task\", \"axes\", \"zip\", "
      "\"samples\", \"sample_seed\", \"when\", \"include\", \"exclude\", \"repeats\", \"compare\", \"measure\", "
      "\"limits\", "
      "\"environments\", \"commands\", \"datasets\", \"train\", \"objective\" or \"search\"; did you mean \"task\"?");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [32],\n\"batch\": [64]}"),
            "s.json:3: /axes/batch: found the key \"batch\" a second time (first on line 2), expected each key once");
  EXPECT_EQ(error_with("\"task\": \"benchmrk\""),
            "s.json:2: /task: found \"benchmrk\", expected \"benchmark\" or \"train\"; did you mean \"benchmark\"?");
  EXPECT_EQ(error_with("\"repeats\": 0"), "s.json:2: /repeats: found 0, expected an integer from 1 to 1000000");
}

TEST(ReaderErrors, NamesThatCouldLeaveTheirFolder) {
  for (const std::string name : {"a/b", "..", "../x", "a..b", ".hidden", "-x", "", "a b", "\u00e9"}) {
    EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": \"" + name + "\"}"),
              "s.json:1: /name: found \"" + name + "\", expected " + a_name);
  }
  EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": 3}"), "s.json:1: /name: found 3, expected " + a_name);
  EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": \"" + std::string(101, 'x') + "\"}"),
            "s.json:1: /name: found \"" + std::string(60, 'x') + "...\", expected " + a_name);
}

TEST(ReaderErrors, FilesThatCannotBeRead) {
  EXPECT_EQ(input_error([] { read_sweep("/nonexistent/s.json"); }).find("/nonexistent/s.json") != std::string::npos,
            true);
}

}  // namespace
}  // namespace regatta::sweep
