#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "measuring/measuring.hpp"

namespace regatta::launcher {
namespace {

class SoughtResults : public testing::Test {
 protected:
  SoughtResults() {
    char name[] = "/tmp/regatta-test-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~SoughtResults() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  /// The number, or why there is none.
  std::string found(sweep::ResultSource source, const std::string& printed = "") {
    source.name = "v";
    Told told;
    const auto missing = take_sources(told, {source}, printed, folder_);
    if (!missing.empty()) return missing.at("v");
    std::ostringstream text;
    text << told.numbers.at("v").value << told.numbers.at("v").unit;
    return text.str();
  }
  std::string matched(const std::string& pattern, const std::string& printed) {
    return found({.name = "", .pattern = pattern}, printed);
  }

  std::filesystem::path folder_;
};

TEST_F(SoughtResults, AreLastMatchesOfAPattern) {
  const std::string log = "epoch 1 loss=0.75\nepoch 2 loss=0.5 loss=0.25\nend\n\n";
  EXPECT_EQ(matched("loss=([0-9.e+-]+)", log), "0.25");
  EXPECT_EQ(matched("(?:epoch) (\\d+) loss", log), "2");
  EXPECT_EQ(matched("[0-9.]+$", "a 1\nb 2.5"), "2.5") << "the whole match where there is no group";
  EXPECT_EQ(matched("Cd = (\\S+)", "Cd = 1.25D-01\r\n"), "0.125") << "a double of Fortran";
  EXPECT_EQ(matched("x (\\S+)", "x +3\rx +4\r"), "4") << "lines of a progress bar";
  EXPECT_EQ(matched("x (\\S+)", "x nan"), "nan");
  EXPECT_EQ(found({.name = "", .pattern = "t=(.*)s", .unit = "s"}, "t=0.5s"), "0.5s");
}

TEST_F(SoughtResults, SayWhyNoMatchIsANumber) {
  EXPECT_EQ(matched("loss=(.*)", "no such line"), "its pattern matches no line");
  EXPECT_EQ(matched("loss=(.*)", "loss=0.5.\n"), "its pattern's last match holds '0.5.', which is no number");
  EXPECT_EQ(matched("loss=(.*)", "loss=1e400"), "its pattern's last match holds '1e400', which is no number");
}

TEST_F(SoughtResults, AreNoPartsOfALongerNumber) {
  const std::string narrow = "loss=([0-9.e+-]+)";
  EXPECT_EQ(matched(narrow, "loss=2.5E-03"),
            "its pattern matches '2.5', a part of '2.5E-03'; write a group that takes the whole number, such as "
            "\"(\\\\S+)\"");
  for (const char* const line :
       {"loss=1.0D-03", "loss=0,5", "loss=1.234,5", "loss=1_000", "loss=0x1F", "loss=1'000", "loss=2.D+3"})
    EXPECT_EQ(matched(narrow, line).find("its pattern matches '"), 0U) << line << ": " << matched(narrow, line);
  EXPECT_EQ(matched("(\\d+)", "loss 0.5").find("its pattern matches '5', a part of '0.5'"), 0U);
  EXPECT_EQ(matched("loss=(\\d).*", "loss=25").find("its pattern matches '2', a part of '25'"), 0U);
  for (const char* const line : {"loss=1e-5", "loss=12,345", "loss=1e5", "loss=-5"})
    EXPECT_EQ(matched("(\\d+)$", line).find("its pattern matches '"), 0U) << line << ": " << matched("(\\d+)$", line);
  EXPECT_EQ(matched(narrow, std::string(2000, '1') + " loss=3"), "3");
  EXPECT_EQ(matched("([0-9.]+)$", "loss=" + std::string(2000, '1')).find("its pattern"), 0U) << "cut by the search";
}

TEST_F(SoughtResults, MayStandBesideOtherSigns) {
  const std::string narrow = "loss=([0-9.e+-]+)";
  for (const char* const line : {"loss=2.5", "loss=2.5, acc=1", "loss=2.5,acc=1", "loss=2.5s", "loss=2.5%",
                                 "(loss=2.5)", "loss=2.5e0 x", "loss=2.5/10", "loss=2.5days"})
    EXPECT_EQ(matched(narrow, line), "2.5") << line;
  EXPECT_EQ(matched("^\\d+,([0-9.]+)$", "12,0.35"), "0.35") << "two numbers";
  EXPECT_EQ(matched("epoch-(\\d+)", "epoch-5"), "5");
  EXPECT_EQ(matched("is ([0-9]+\\.[0-9]+)", "loss is 0.5."), "0.5") << "the end of a sentence";
}

TEST_F(SoughtResults, TakeLongLinesAndHostilePatternsInTime) {
  EXPECT_EQ(matched("(a+)+b", std::string(100000, 'a')), "its pattern matches no line");
  EXPECT_EQ(matched("x=(.*)", std::string(100000, 'a') + "x=7"), "7") << "the end of a long line is searched";
}

TEST_F(SoughtResults, StandInTheLastRowOfACsvFile) {
  write("a.csv", "\xef\xbb\xbfTime, Cd,\"lift, total\"\n0,1,2\n1,0.31,-0.5\n\n");
  EXPECT_EQ(found({.name = "", .file = "a.csv", .column = "Cd"}), "0.31");
  EXPECT_EQ(found({.name = "", .file = "a.csv", .column = "lift, total"}), "-0.5");
  EXPECT_EQ(found({.name = "", .file = "a.csv", .column = "Time"}), "1");
  EXPECT_EQ(found({.name = "", .file = "a.csv", .column = "drag"}), "its file has no column 'drag'");
  write("b.csv", "t;v\r\n1;2\r\n3;4\r\n");
  EXPECT_EQ(found({.name = "", .file = "b.csv", .column = "v"}), "4");
  write("c.csv", "t;v\n1;2,5\n");
  EXPECT_EQ(found({.name = "", .file = "c.csv", .column = "v"}),
            "the last row of its column holds '2,5', which is no number");
  write("e.csv", "step,drag\n1,0,35\n");
  EXPECT_EQ(found({.name = "", .file = "e.csv", .column = "drag"}),
            "the last row of its file has 3 cells and its header 2, as '1,0,35'");
  EXPECT_EQ(found({.name = "", .file = "e.csv", .column = "step"}),
            "the last row of its file has 3 cells and its header 2, as '1,0,35'");
  write("f.csv", "step,drag,lift\n1,35\n");
  EXPECT_EQ(found({.name = "", .file = "f.csv", .column = "drag"}),
            "the last row of its file has 2 cells and its header 3, as '1,35'");
  write("g.csv", "step,drag\n1,\"0.5\n");
  EXPECT_EQ(found({.name = "", .file = "g.csv", .column = "drag"}),
            "the last row of its file has a quote that does not end");
  write("h.csv", "step,\"drag\n1,0.5\n");
  EXPECT_EQ(found({.name = "", .file = "h.csv", .column = "step"}),
            "the header of its file has a quote that does not end");
  write("i.csv", "v,v\n1,2\n");
  EXPECT_EQ(found({.name = "", .file = "i.csv", .column = "v"}), "its file has two columns 'v'");
  write("d.csv", "t\tv\n");
  EXPECT_EQ(found({.name = "", .file = "d.csv", .column = "v"}), "its file has no rows");
}

TEST_F(SoughtResults, StandUnderAKeyOfAJsonFile) {
  write("a.json", "{\"results\": {\"acc,none\": 0.5}, \"runs\": [{\"t\": 2}]}");
  EXPECT_EQ(found({.name = "", .file = "a.json", .key = "results.acc,none"}), "0.5");
  EXPECT_EQ(found({.name = "", .file = "a.json", .key = "runs.0.t"}), "2");
  EXPECT_EQ(found({.name = "", .file = "a.json", .key = "results"}), "its file has no number at 'results'");
  std::string deep;
  for (int level = 0; level < 100000; ++level) deep += "{\"s\":";
  write("deep.json", deep + "1" + std::string(100000, '}'));
  EXPECT_EQ(found({.name = "", .file = "deep.json", .key = "s"}), "its file has no number at 's'");
  EXPECT_NE(found({.name = "", .file = "none.json", .key = "a"}).find("none.json"), std::string::npos);
}

}  // namespace
}  // namespace regatta::launcher
