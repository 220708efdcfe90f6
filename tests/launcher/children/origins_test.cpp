#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "children/children.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using testing::HasSubstr;
using testing::Key;
using testing::UnorderedElementsAre;

class OriginsOf : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    results::spill(folder / name, text);
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  std::string file(const std::string& name) const { return (folder / name).string(); }

  /// The origins of a sweep with these keys, in the folder.
  sweep::Origins origins(const std::string& keys) const {
    const sweep::Sweep sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s", )" + keys + "}", folder / "s.json");
    EnvironmentPlaces places;
    places.from_sweep = sweep.environments;
    places.native_worker = folder / "regatta-worker";
    EnvironmentResolver environments(std::move(places));
    return origins_of(sweep, sweep::make_plan(sweep), environments);
  }
  sweep::Origin of_command(const std::string& spec) const {
    return origins(R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": )" + spec + "}")["command a"];
  }

  support::TemporaryFolder folder;
};

TEST_F(OriginsOf, ACommandAreItsProgramTheFilesThatItNamesAndItsInputs) {
  write("solve", "#!/bin/sh\n");
  write("step.py", "1");
  write("a.cfg", "2");
  write("out.txt", "3");
  write("data.csv", "4");
  const auto origin =
      of_command(R"({"argv": ["./solve", ")" + file("step.py") + R"(", "--config=)" + file("a.cfg") + R"(", "-o", ")" +
                 file("out.txt") + R"(", "--output=)" + file("out.txt") + R"(", "17"], "inputs": ["data.csv"]})");
  EXPECT_THAT(origin, UnorderedElementsAre(Key("the contents of ./solve"), Key("the contents of step.py"),
                                           Key("the contents of a.cfg"), Key("the contents of the input data.csv")));
}

TEST_F(OriginsOf, AFileThatALevelOrAScriptNamesIsOneOfItsOwn) {
  write("a.txt", "1");
  write("b.txt", "2");
  write("read.py", "import helper\n");
  write("helper.py", "");
  const std::string a = file("a.txt"), b = file("b.txt"), script = file("read.py");
  const auto found = origins(R"("axes": {"engine": "command", "command": "a", "in": [")" + a + R"(", ")" + b +
                             R"(", "none.txt"]}, "commands": {"a": {"argv": ["cat", "{in}"]}})");
  EXPECT_THAT(found, UnorderedElementsAre(Key("command a"), Key("limits"), Key("file " + a), Key("file " + b)));
  EXPECT_THAT(found.at("file " + a), UnorderedElementsAre(Key("the contents of a.txt")));
  const auto shell = origins(R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": {"argv": ["sh", "-c",
    "python3 )" + script + R"( | tail > )" +
                             a + R"("]}})");
  EXPECT_THAT(shell, UnorderedElementsAre(Key("command a"), Key("limits"), Key("file " + script)));
  EXPECT_THAT(shell.at("file " + script),
              UnorderedElementsAre(Key("the contents of read.py"), Key("the contents of helper.py")));
}

TEST_F(OriginsOf, AScriptInPythonIsAlsoWhatItImportsFromItsFolder) {
  write("fit.py", "import helper\nimport json\n");
  write("helper.py", "1");
  EXPECT_THAT(
      of_command(R"({"argv": ["sh", ")" + file("fit.py") + R"("]})"),
      UnorderedElementsAre(Key("the contents of sh"), Key("the contents of fit.py"), Key("the contents of helper.py")));
  EXPECT_THAT(of_command(R"({"argv": ["./fit.py"]})"),
              UnorderedElementsAre(Key("the contents of ./fit.py"), Key("the contents of helper.py")));
}

TEST_F(OriginsOf, AProgramThatIsNotThereIsNone) {
  EXPECT_EQ(of_command(R"({"argv": ["./late"]})").at("the contents of ./late"), "none");
}

TEST_F(OriginsOf, ANativeEngineIsItsWorkerAndOneThatIsMissingHasNone) {
  const std::string keys = R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10"})";
  EXPECT_EQ(origins(keys).at("native").begin()->second, "none");
  write("regatta-worker", "a");
  const auto found = origins(keys);
  EXPECT_THAT(found, UnorderedElementsAre(Key("native"), Key("numpy"), Key("limits")));
  EXPECT_THAT(found.at("native"), UnorderedElementsAre(Key("the contents of regatta-worker")));
  EXPECT_TRUE(found.at("numpy").empty()) << "no interpreter was named";
}

TEST_F(OriginsOf, AnEngineAreAlsoTheUsersOwnDataThatItReads) {
  write("regatta-worker", "a");
  write("x.npy", "1");
  write("y.npy", "2");
  const auto found = origins(R"("axes": {"model": "mlp-10", "dataset": ["synthetic", "cells"]},
    "datasets": {"cells": {"data": "x.npy", "labels": "y.npy"}})");
  EXPECT_THAT(found, UnorderedElementsAre(Key("native"), Key("native on cells"), Key("limits")));
  EXPECT_THAT(found.at("native on cells"),
              UnorderedElementsAre(Key("the contents of regatta-worker"), Key("the contents of x.npy"),
                                   Key("the contents of y.npy")));
}

TEST_F(OriginsOf, AnEnvironmentAreItsArgumentsAndVariables) {
  write("worker", "#!/bin/sh\n");
  const auto of = [&](const std::string& argument, const std::string& value) {
    return origins(R"("axes": {"engine": "native@e", "model": "mlp-10"}, "environments": {"e": {"engine": "native",
      "program": ["./worker", ")" +
                   argument + R"("], "env": {"A": ")" + value + R"("}}})")
        .at("native@e");
  };
  const auto origin = of("-v", "1");
  EXPECT_THAT(origin, UnorderedElementsAre(Key("the contents of worker"), Key("the arguments of the environment e"),
                                           Key("the variable A of the environment e")));
  EXPECT_EQ(origin, of("-v", "1"));
  EXPECT_THAT(sweep::differences(origin, of("-w", "1")), testing::ElementsAre("the arguments of the environment e"));
  EXPECT_THAT(sweep::differences(origin, of("-v", "2")), testing::ElementsAre("the variable A of the environment e"));
  EXPECT_THAT(origin.at("the variable A of the environment e"), testing::SizeIs(32)) << "no value is written down";
}

TEST_F(OriginsOf, AnInterpreterTellsItsVersionAndThoseOfItsLibraries) {
  write("python", "#!/bin/sh\nprintf '3.9.1\\n2.4.0\\n'\n");
  const auto origin = origins(R"("axes": {"engine": "torch@e", "model": "mlp-10"},
    "environments": {"e": {"engine": "torch", "python": "./python"}})")
                          .at("torch@e");
  EXPECT_EQ(origin.at("the interpreter of the environment e"), "python 3.9.1");
  EXPECT_EQ(origin.at("the version of torch of the environment e"), "2.4.0");
}

TEST_F(OriginsOf, ACommandThatAsksForAnInterpreterHasItsVersions) {
  write("python", "#!/bin/sh\nprintf '3.9.1\\n2.4.0\\n'\n");
  const std::string axes = R"("axes": {"engine": "command", "command": "a"}, "environments": {"torch": {"engine":
    "torch", "python": "./python"}}, "commands": {"a": {"argv": ["python@)";
  const auto origin = origins(axes + R"(torch", "-c", "pass"]}})").at("command a");
  EXPECT_EQ(origin.at("the interpreter of python@torch"), "python 3.9.1");
  EXPECT_EQ(origin.at("the version of torch of python@torch"), "2.4.0");
  EXPECT_EQ(origins(axes + R"(nobody", "-c", "pass"]}})").at("command a").at("the interpreter of python@nobody"),
            "none");
}

TEST_F(OriginsOf, LimitsAreAmongThem) {
  EXPECT_EQ(
      origins(R"("axes": {"model": "mlp-10"}, "limits": {"memory": "1MiB", "attempts": 2})").at("limits"),
      (sweep::Origin{{"limits.trial_timeout", "300 s"}, {"limits.attempts", "2"}, {"limits.memory", "1048576 B"}}));
}

TEST_F(OriginsOf, AnInputThatIsGoneByNowIsAnotherState) {
  write("data.csv", "4");
  const sweep::Sweep sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "s", "axes": {"engine": "command", "command": "a"},
        "commands": {"a": {"argv": ["ls"], "inputs": ["data.csv"]}}})",
      folder / "s.json");
  std::filesystem::remove(folder / "data.csv");
  EnvironmentResolver environments({});
  const auto origins = origins_of(sweep, sweep::make_plan(sweep), environments);
  EXPECT_EQ(origins.at("command a").at("the contents of the input data.csv"), "not readable");
}

TEST_F(OriginsOf, AFileIsToldByWhatItHoldsAndNotByItsDate) {
  write("a", "one");
  const std::string one = file_state(folder / "a");
  std::filesystem::last_write_time(folder / "a", std::filesystem::file_time_type() + std::chrono::hours(1));
  EXPECT_EQ(file_state(folder / "a"), one);
  write("a", "two");
  EXPECT_NE(file_state(folder / "a"), one);
  EXPECT_THROW(file_state(folder.path()), InputError);
}

TEST_F(OriginsOf, AFileBeyondTheLimitIsToldByItsDate) {
  write("large", "");
  std::filesystem::resize_file(folder / "large", (std::uintmax_t{1} << 30) + 1);  // without a block on the disk
  const std::string then = file_state(folder / "large");
  EXPECT_THAT(then, HasSubstr("1073741825 bytes of "));
  std::filesystem::last_write_time(folder / "large", std::filesystem::file_time_type() + std::chrono::hours(1));
  EXPECT_NE(file_state(folder / "large"), then);
}

TEST_F(OriginsOf, DataAreAFileAFolderOrADatasetOfAFile) {
  write("a.h5", "1");
  EXPECT_EQ(data_state(file("a.h5:/train/x")), file_state(file("a.h5")));
  std::filesystem::create_directories(folder / "pictures" / "cat");
  write("pictures/cat/1.png", "1");
  const std::string before = data_state(file("pictures"));
  EXPECT_THAT(before, testing::StartsWith("1 files "));
  EXPECT_EQ(data_state(file("pictures")), before);
  write("pictures/cat/1.png", "12");
  EXPECT_NE(data_state(file("pictures")), before);
  write("pictures/cat/2.png", "1");
  EXPECT_THAT(data_state(file("pictures")), testing::StartsWith("2 files "));
}

}  // namespace
}  // namespace regatta::launcher
