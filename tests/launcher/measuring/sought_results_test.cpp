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
  write("d.csv", "t\tv\n");
  EXPECT_EQ(found({.name = "", .file = "d.csv", .column = "v"}), "its file has no rows");
}

TEST_F(SoughtResults, StandUnderAKeyOfAJsonFile) {
  write("a.json", "{\"results\": {\"acc,none\": 0.5}, \"runs\": [{\"t\": 2}]}");
  EXPECT_EQ(found({.name = "", .file = "a.json", .key = "results.acc,none"}), "0.5");
  EXPECT_EQ(found({.name = "", .file = "a.json", .key = "runs.0.t"}), "2");
  EXPECT_EQ(found({.name = "", .file = "a.json", .key = "results"}), "its file has no number at 'results'");
  EXPECT_NE(found({.name = "", .file = "none.json", .key = "a"}).find("none.json"), std::string::npos);
}

}  // namespace
}  // namespace regatta::launcher
