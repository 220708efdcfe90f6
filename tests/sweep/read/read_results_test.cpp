#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

using testing::HasSubstr;

TEST(ReadResults, AreNamesThatAreStillFree) {
  const auto error = [](const std::string& results) {
    return error_with(R"("commands": {"x": {"argv": ["ls"], "results": )" + results + "}}");
  };
  const std::string names =
      ", expected a name that begins with a letter, has letters, digits, '_', '.' or '-', and is no column of the "
      "results (such as host)";
  EXPECT_EQ(error(R"(["n"])"), "s.json:2: /commands/x/results/0: found \"n\"" + names);
  for (const std::string name : {"host", "flags", "m_step_time", "trial"})
    EXPECT_EQ(error("[\"" + name + "\"]"), "s.json:2: /commands/x/results/0: found \"" + name + "\"" + names);
  EXPECT_EQ(error(R"(["a b"])"), "s.json:2: /commands/x/results/0: found \"a b\"" + names);
  EXPECT_EQ(error(R"(["a", "a"])"), "s.json:2: /commands/x/results/1: found \"a\", expected each name once");
  const Sweep sweep = sweep_with(R"("axes": {"engine": "command", "command": "x"},
    "commands": {"x": {"argv": ["ls"], "results": ["a", "b.c-d"]}})");
  EXPECT_EQ(sweep.commands.at("x").results, (std::vector<std::string>{"a", "b.c-d"}));
}

Command command_of(const std::string& results, const std::string& more = "") {
  return sweep_with(R"("axes": {"engine": "command", "command": "x"}, "commands": {"x": {"argv": ["ls"], "results": )" +
                    results + more + "}}")
      .commands.at("x");
}

std::string error(const std::string& results, const std::string& more = "") {
  return error_with(R"("commands": {"x": {"argv": ["ls"], "results": )" + results + more + "}}");
}

const std::string in_folder = R"(, "folder": "removed")";

TEST(ReadResults, MayStandElsewhereThanInJsonLines) {
  const Command command =
      command_of(R"x({"loss": {"pattern": "loss=([0-9.]+)", "unit": "1"}, "time": {}, "drag": {"file": "out/forces.csv",
    "column": "Cd"}, "acc": {"file": "a.json", "key": "scores.acc"}, "end": {"file": "log", "pattern": "end (.*)"}})x",
                 in_folder);
  EXPECT_EQ(command.results, (std::vector<std::string>{"loss", "time", "drag", "acc", "end"}));
  const std::vector<ResultSource> sources = {{.name = "loss", .pattern = "loss=([0-9.]+)", .unit = "1"},
                                             {.name = "drag", .file = "out/forces.csv", .column = "Cd"},
                                             {.name = "acc", .file = "a.json", .key = "scores.acc"},
                                             {.name = "end", .file = "log", .pattern = "end (.*)"}};
  EXPECT_EQ(command.sources, sources);
}

TEST(ReadResults, HavePatternsThatAreRegularExpressions) {
  EXPECT_THAT(error(R"({"loss": {"pattern": "loss=([0-9"}})"),
              HasSubstr("/commands/x/results/loss/pattern: found \"loss=([0-9\", expected a regular expression"));
  EXPECT_THAT(error(R"({"loss": {"pattern": "(a)\\1"}})"), HasSubstr("without back-references"));
  EXPECT_THAT(error(R"({"loss": {"pattern": "(a{1000}){1000}"}})"), HasSubstr("expected a shorter regular expression"));
  EXPECT_THAT(error(R"({"loss": {"pattern": "loss=[0-9.]+"}})"), HasSubstr("expected a group in it, such as (.*)"));
  EXPECT_THAT(error(R"({"step_time": {}})"), HasSubstr("found the name \"step_time\", expected a name that begins"));
}

TEST(ReadResults, HaveOnePlaceEach) {
  EXPECT_THAT(error(R"({"a": {"file": "x.csv"}})", in_folder),
              HasSubstr("expected one of the keys \"pattern\", \"column\" and \"key\" in it"));
  EXPECT_THAT(error(R"({"a": {"unit": "K"}})"), HasSubstr("expected one of the keys"));
  EXPECT_THAT(error(R"({"a": {"file": "x", "column": "b", "key": "c"}})", in_folder), HasSubstr("expected one of"));
  EXPECT_THAT(error(R"({"a": {"column": "b"}})"), HasSubstr("expected the key \"file\" in it"));
  EXPECT_THAT(error(R"({"a": {"regex": "b"}})"), HasSubstr("found the unknown key \"regex\""));
}

TEST(ReadResults, StandInFilesOfTheTrialsFolder) {
  const std::string drag = R"({"drag": {"file": "forces.csv", "column": "Cd"}})";
  EXPECT_THAT(error(drag), HasSubstr("\"folder\": \"kept\" or \"removed\" in this command"));
  for (const char* file : {"/tmp/forces.csv", "../forces.csv", "a/../../b.csv"})
    EXPECT_THAT(error(std::string(R"({"drag": {"column": "Cd", "file": ")") + file + "\"}}", in_folder),
                HasSubstr("expected a path inside the folder of the trial"));
}

TEST(ReadResults, DecideTheIdentityOfATrial) {
  const auto hash = [](const std::string& results) {
    return plan_with(
               R"("axes": {"engine": "command", "command": "x"}, "commands": {"x": {"argv": ["ls"], "results": )" +
               results + "}}")
        .trials.front()
        .hash;
  };
  EXPECT_EQ(hash(R"(["a"])"), hash(R"({"a": {}})"));
  EXPECT_NE(hash(R"(["a"])"), hash(R"x({"a": {"pattern": "a=(.*)"}})x"));
  EXPECT_NE(hash(R"x({"a": {"pattern": "a:(.*)"}})x"), hash(R"x({"a": {"pattern": "a=(.*)"}})x"));
}

}  // namespace
}  // namespace regatta::sweep
