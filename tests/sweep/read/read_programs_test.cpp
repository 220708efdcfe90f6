#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ReadPrograms, PathsAreRelativeToTheFile) {
  const std::string keys = R"("axes": {"engine": "command", "command": "a"},
    "environments": {"e": {"engine": "numpy", "python": "venv/bin/python"}, "f": {"engine": "native", "program": ["./w", "x/y"]},
                     "g": {"engine": "native", "program": ["/bin/w"]}},
    "commands": {"a": {"argv": ["../bin/a", "x/y"], "metric": "json:seconds"}, "b": {"argv": ["python3"]}})";
  const Sweep sweep = parse_sweep(file_with(keys), "/data/me/sweeps/s.json");
  EXPECT_EQ(sweep.environments.at("e").python, "/data/me/sweeps/venv/bin/python");
  EXPECT_EQ(sweep.environments.at("f").program, (std::vector<std::string>{"/data/me/sweeps/w", "x/y"}));
  EXPECT_EQ(sweep.environments.at("g").program, std::vector<std::string>{"/bin/w"});
  EXPECT_EQ(sweep.commands.at("a").argv, (std::vector<std::string>{"/data/me/bin/a", "x/y"}));
  EXPECT_EQ(sweep.commands.at("a").metric_key, "seconds");
  EXPECT_EQ(sweep.commands.at("b").argv, std::vector<std::string>{"python3"});  // found in PATH when it is started
  EXPECT_EQ(sweep.commands.at("b").metric_key, "");
}

TEST(ReadPrograms, InputsAreFilesThatCanBeRead) {
  const auto error = [](const std::string& inputs) {
    return error_with(R"("commands": {"x": {"argv": ["ls"], "inputs": )" + inputs + "}}");
  };
  EXPECT_EQ(error("[]"),
            "s.json:2: /commands/x/inputs: found an empty list, expected a list of files such as [\"data.csv\"]");
  EXPECT_EQ(error("[3]"), "s.json:2: /commands/x/inputs/0: found 3, expected the path of a file");
  EXPECT_EQ(error("[\"/dev/null\"]"),
            "s.json:2: /commands/x/inputs/0: found \"/dev/null\", expected a file that can be read ('/dev/null' is a "
            "pipe or a device (reading it may never end); name a file)");
  EXPECT_EQ(error("[\"/etc/passwd\", \"/etc/passwd\"]"),
            "s.json:2: /commands/x/inputs/1: found \"/etc/passwd\", expected each file once");
  const std::string keys = R"("axes": {"engine": "command", "command": "x"},
    "commands": {"x": {"argv": ["ls"], "inputs": ["../nowhere.csv"]}})";
  const Sweep sweep = parse_sweep(file_with(keys), "/data/me/s.json", any_environment());  // read again elsewhere
  EXPECT_EQ(sweep.inputs.at("x").at("../nowhere.csv"), "/data/nowhere.csv");
}

TEST(ReadPrograms, AFolderIsKeptOrRemoved) {
  EXPECT_EQ(error_with(R"("commands": {"x": {"argv": ["ls"], "folder": true}})"),
            "s.json:2: /commands/x/folder: found true, expected \"kept\" or \"removed\"");
  const Sweep sweep = sweep_with(R"("axes": {"engine": "command", "command": ["x", "y"]},
    "commands": {"x": {"argv": ["ls"], "folder": "kept"}, "y": {"argv": ["ls"], "folder": "removed"}})");
  EXPECT_EQ(sweep.commands.at("x").folder, WorkFolder::kept);
  EXPECT_EQ(sweep.commands.at("y").folder, WorkFolder::removed);
}

TEST(ReadPrograms, AProgramSaysHowItsRanksStart) {
  EXPECT_EQ(error_with(R"("commands": {"x": {"argv": ["ls"], "launch": "mpiexec"}})"),
            "s.json:2: /commands/x/launch: found \"mpiexec\", expected \"once\", \"env\", \"torchrun\", "
            "\"mpirun\" or \"srun\"");
  const Sweep sweep = sweep_with(R"("axes": {"engine": "command", "command": ["x", "y"], "ranks": [1, 3]},
    "commands": {"x": {"argv": ["ls", "-n{ranks}"]}, "y": {"argv": ["ls"], "launch": "torchrun"}})");
  EXPECT_EQ(sweep.commands.at("x").launch, Launch::once);
  EXPECT_EQ(sweep.commands.at("y").launch, Launch::torchrun);
}

TEST(ReadPrograms, ALoopSaysHowItsRanksStart) {
  const auto environment = [](const std::string& keys) {
    return R"("environments": {"e": {"engine": "numpy", )" + keys + "}}";
  };
  EXPECT_EQ(error_with(environment(R"("python": "p", "launch": "env")")),
            "s.json:2: /environments/e/launch: found \"env\", expected a \"program\" beside it, a loop whose ranks it "
            "starts");
  EXPECT_EQ(error_with(environment(R"("program": ["p"], "launch": "mpirun")")),
            "s.json:2: /environments/e/launch: found \"mpirun\", expected \"env\" or \"torchrun\"");
  const Sweep sweep =
      sweep_with(R"("axes": {"model": "mlp-10"}, )" + environment(R"("program": ["p"], "launch": "torchrun")"));
  EXPECT_EQ(sweep.environments.at("e").launch, Launch::torchrun);
}

TEST(ReadPrograms, OutputIsKeptAsTheCommandSays) {
  EXPECT_EQ(error_with(R"("commands": {"x": {"argv": ["ls"], "output": "all"}})"),
            "s.json:2: /commands/x/output: found \"all\", expected \"tail\", \"kept\" or \"none\"");
  const Sweep sweep = sweep_with(R"("axes": {"engine": "command", "command": ["x", "y", "z"]},
    "commands": {"x": {"argv": ["ls"], "output": "kept"}, "y": {"argv": ["ls"], "output": "none"},
                 "z": {"argv": ["ls"]}})");
  EXPECT_EQ(sweep.commands.at("x").output, KeptOutput::kept);
  EXPECT_EQ(sweep.commands.at("y").output, KeptOutput::none);
  EXPECT_EQ(sweep.commands.at("z").output, KeptOutput::tail);
}

TEST(ReadPrograms, Environments) {
  const auto error = [](const std::string& inside) { return error_with("\"environments\": {\"x\": " + inside + "}"); };
  EXPECT_EQ(error("3"), "s.json:2: /environments/x: found 3, expected an object");
  EXPECT_EQ(error("{}"),
            "s.json:2: /environments/x/engine: found nothing, expected \"native\", \"torch\", \"tensorflow\", \"jax\" "
            "or \"numpy\"");
  EXPECT_EQ(error("{\"engine\": \"natve\"}"),
            "s.json:2: /environments/x/engine: found \"natve\", expected \"native\", \"torch\", \"tensorflow\", "
            "\"jax\" or \"numpy\"; did "
            "you mean \"native\"?");
  EXPECT_EQ(error("{\"engine\": \"native\"}"),
            "s.json:2: /environments/x: found an object, expected one of the keys \"python\" and \"program\" in it");
  EXPECT_EQ(error("{\"engine\": \"native\", \"python\": \"p\", \"program\": [\"p\"]}"),
            "s.json:2: /environments/x/program: found a list, expected only one of \"python\" and \"program\"");
  EXPECT_EQ(error("{\"engine\": \"native\", \"program\": []}"),
            "s.json:2: /environments/x/program: found an empty list, expected an argument array such as [\"python3\", "
            "\"step.py\"]");
  EXPECT_EQ(error("{\"engine\": \"native\", \"program\": [\"\"]}"),
            "s.json:2: /environments/x/program/0: found \"\", expected a text");
  EXPECT_EQ(error("{\"engine\": \"native\", \"program\": [\"p\"], \"env\": {\"A=B\": \"c\"}}"),
            "s.json:2: /environments/x/env/A=B: found the key \"A=B\", expected the name of an environment variable");
  EXPECT_EQ(error("{\"engine\": \"native\", \"program\": [\"p\"], \"env\": {\"A\": 1}}"),
            "s.json:2: /environments/x/env/A: found 1, expected a text");
  EXPECT_EQ(error_with("\"environments\": {\"a b\": {}}"),
            "s.json:2: /environments/a b: found the key \"a b\", expected " + a_name);
}

TEST(ReadPrograms, Commands) {
  const std::string argv = "an argument array such as [\"python3\", \"step.py\"]";
  EXPECT_EQ(error_with("\"commands\": {\"x\": {}}"), "s.json:2: /commands/x/argv: found nothing, expected " + argv);
  EXPECT_EQ(error_with("\"commands\": {\"x\": {\"argv\": \"ls\"}}"),
            "s.json:2: /commands/x/argv: found \"ls\", expected " + argv);
  EXPECT_EQ(error_with("\"commands\": {\"x\": {\"argv\": [\"ls\"], \"metric\": \"time\"}}"),
            "s.json:2: /commands/x/metric: found \"time\", expected \"json:KEY\", the key of a JSON object that the "
            "program prints");
  EXPECT_EQ(error_with("\"axes\": {\"command\": \"x\"}"),
            "s.json:2: /axes/command: found \"x\", expected an entry of \"commands\", which this sweep does not have");
  EXPECT_EQ(
      error_with("\"axes\": {\"command\": \"ab\"}, \"commands\": {\"abc\": {\"argv\": [\"x\"]}}"),
      "s.json:2: /axes/command: found \"ab\", expected an entry of \"commands\" (\"abc\"); did you mean \"abc\"?");
}

}  // namespace
}  // namespace regatta::sweep
