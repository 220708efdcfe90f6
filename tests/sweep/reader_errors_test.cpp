// Every way in which a sweep file can be wrong, with the exact text that a person reads.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

const std::string name_rule =
    "a name of at most 100 letters, digits, '.', '_' and '-', beginning with a letter or digit";
const std::string all_params =
    R"("api", "batch", "command", "dataset", "device", "engine", "host_dtype", "input", "length", "loop", "mode", "model", )"
    R"("precision", "ranks", "repeat", "seed", "tail", "threads", "timing" or "work")";

TEST(ReaderErrors, TextThatIsNotJson) {
  EXPECT_EQ(error_of(""),
            "s.json:1: found text that is not JSON (syntax error while parsing value - unexpected end of input; "
            "expected '[', "
            "'{', or a literal), expected JSON");
  EXPECT_EQ(
      error_of("{\"regatta\": 1,\n}"),
      "s.json:2: found text that is not JSON (syntax error while parsing object key - unexpected '}'; expected string "
      "literal), expected JSON");
  EXPECT_EQ(error_of("{\"regatta\": 1}\n}"),
            "s.json:2: found text that is not JSON (syntax error while parsing value - unexpected '}'; expected end of "
            "input), "
            "expected JSON");
  EXPECT_EQ(error_of("{\"regatta\": 1e999}"),
            "s.json:1: found text that is not JSON (number overflow parsing '1e999'), expected JSON");
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

TEST(ReaderErrors, TopLevel) {
  EXPECT_EQ(error_of("[]"), "s.json:1: found an empty list, expected an object");
  EXPECT_EQ(error_of("{}"), "s.json:1: /regatta: found nothing, expected 1, the version of the sweep file's grammar");
  EXPECT_EQ(error_of("{\"regatta\":\n2}"),
            "s.json:2: /regatta: found 2, expected 1, the version of the sweep file's grammar");
  EXPECT_EQ(error_of("{\"regatta\": 1}"), "s.json:1: /name: found nothing, expected " + name_rule);
  EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": \"x\"}"),
            "s.json:1: /axes: found nothing, expected an object of axes");
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": \"mlp-10\"},\n\"taks\": 1"),
      "s.json:3: /taks: found the unknown key \"taks\", expected \"regatta\", \"name\", \"task\", \"axes\", "
      "\"exclude\", "
      "\"repeats\", \"compare\", \"measure\", \"limits\", \"environments\" or \"commands\"; did you mean \"task\"?");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [32],\n\"batch\": [64]}"),
            "s.json:3: /axes/batch: found the key \"batch\" a second time (first on line 2), expected each key once");
  EXPECT_EQ(error_with("\"task\": \"train\""),
            "s.json:2: /task: found \"train\", expected \"benchmark\" (training sweeps are not built yet)");
  EXPECT_EQ(error_with("\"task\": \"benchmrk\""),
            "s.json:2: /task: found \"benchmrk\", expected \"benchmark\" or \"train\"; did you mean \"benchmark\"?");
  EXPECT_EQ(error_with("\"repeats\": 0"), "s.json:2: /repeats: found 0, expected an integer from 1 to 10000000");
}

TEST(ReaderErrors, NamesThatCouldLeaveTheirFolder) {
  for (const std::string name : {"a/b", "..", "../x", "a..b", ".hidden", "-x", "", "a b", "\u00e9"}) {
    EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": \"" + name + "\"}"),
              "s.json:1: /name: found \"" + name + "\", expected " + name_rule);
  }
  EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": 3}"), "s.json:1: /name: found 3, expected " + name_rule);
  EXPECT_EQ(error_of("{\"regatta\": 1, \"name\": \"" + std::string(101, 'x') + "\"}"),
            "s.json:1: /name: found \"" + std::string(60, 'x') + "...\", expected " + name_rule);
}

TEST(ReaderErrors, Axes) {
  EXPECT_EQ(error_with("\"axes\": []"), "s.json:2: /axes: found an empty list, expected an object of axes");
  EXPECT_EQ(error_with("\"axes\": {}"), "s.json:2: /axes: found an empty object, expected at least one axis");
  EXPECT_EQ(error_with("\"axes\": {\n\"batch\": []}"),
            "s.json:3: /axes/batch: found an empty list, expected at least one level");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [32,\n64,\n32]}"),
            "s.json:4: /axes/batch/2: found 32 a second time, expected each level once");
  EXPECT_EQ(error_with("\"axes\": {\"mdoe\": \"eager\"}"),
            "s.json:2: /axes/mdoe: found the unknown parameter \"mdoe\", expected " + all_params +
                "; did you mean \"mode\"?");
  EXPECT_EQ(error_with("\"axes\": {\"repeat\": 3}"),
            "s.json:2: /axes/repeat: found the parameter \"repeat\", expected the key \"repeats\" of the sweep, which "
            "makes it");
  EXPECT_EQ(
      error_with("\"axes\": {\"mode\": [\"eager\",\n\"grpah\"]}"),
      "s.json:3: /axes/mode/1: found \"grpah\", expected \"eager\", \"graph\" or \"xla\"; did you mean \"graph\"?");
}

TEST(ReaderErrors, LevelsOfTheWrongTypeOrOutOfRange) {
  const std::string batch = ", expected an integer from 1 to 16777216";
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 0}"), "s.json:2: /axes/batch: found 0" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 16777217}"), "s.json:2: /axes/batch: found 16777217" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 99999999999999999999}"), "s.json:2: /axes/batch: found 1e+20" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": -9223372036854775808}"),
            "s.json:2: /axes/batch: found -9223372036854775808" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 32.0}"), "s.json:2: /axes/batch: found 32.0" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": \"32\"}"), "s.json:2: /axes/batch: found \"32\"" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [true]}"), "s.json:2: /axes/batch/0: found true" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": null}"), "s.json:2: /axes/batch: found null" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [[1]]}"), "s.json:2: /axes/batch/0: found a list" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"mode\": 3}"),
            "s.json:2: /axes/mode: found 3, expected \"eager\", \"graph\" or \"xla\"");
  EXPECT_EQ(error_with("\"axes\": {\"mode\": {\"a\": 1}}"),
            "s.json:2: /axes/mode: found an object, expected \"eager\", \"graph\" or \"xla\"");
}

TEST(ReaderErrors, EnginesAndModels) {
  const std::string models =
      R"("conv1d-small", "conv1d-medium", "conv1d-large", "conv1d-question", "bilstm-question", "mlp-784", "mlp-10", "cnn-28", )"
      R"("digits-mlp", "matmul-1000", "scalar-gradient" or "noop")";
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"conv1d-smal\"}"),
            "s.json:2: /axes/model: found \"conv1d-smal\", expected a model written out, or " + models +
                "; did you mean \"conv1d-small\"?");
  EXPECT_EQ(error_with("\"axes\": {\"model\": 3}"),
            "s.json:2: /axes/model: found 3, expected a model written out, or " + models);
  EXPECT_EQ(
      error_with("\"axes\": {\"engine\": \"nativ\"}"),
      "s.json:2: /axes/engine: found \"nativ\", expected \"native\", \"torch\", \"tensorflow\", \"jax\", \"numpy\" or "
      "\"command\"; did you mean \"native\"?");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"native@fake\"}"),
            "s.json:2: /axes/engine: found \"native@fake\", expected an entry \"fake\" in \"environments\"");
  const std::string environment = ", \"environments\": {\"fake\": {\"engine\": \"native\", \"program\": [\"x\"]}}";
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"native@fke\"}" + environment),
            "s.json:2: /axes/engine: found \"native@fke\", expected an entry \"fke\" in \"environments\"; did you mean "
            "\"native@fake\"?");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"numpy@fake\"}" + environment),
            "s.json:2: /axes/engine: found \"numpy@fake\", expected an environment of the engine numpy (fake is one of "
            "native)");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"native@\"}"),
            "s.json:2: /axes/engine: found \"native@\", expected an entry \"\" in \"environments\"");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 3}"),
            "s.json:2: /axes: found no axis \"model\", expected one (the engine native needs it)");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"command\"}"),
            "s.json:2: /axes: found no axis \"command\", expected one (the engine command needs it)");
}

TEST(ReaderErrors, ModelsWrittenOut) {
  EXPECT_EQ(
      error_with(
          "\"axes\": {\"model\": [\"mlp-10\", {\"name\": \"odd\", \"input\": [13],\n\"layers\": [{\"dense\": 29,\n"
          "\"activation\": \"rellu\"}], \"loss\": \"mse\", \"optimizer\": {\"sgd\": {\"learning_rate\": 0.1}}}]}"),
      "s.json:4: /axes/model/1/layers/0/activation: found \"rellu\", expected one of \"none\", \"relu\", \"sigmoid\", "
      "\"tanh\", "
      "\"softmax\"; did you mean \"relu\"?");
  EXPECT_EQ(error_with("\"axes\": {\"model\": {\n\"name\": \"mlp-10\", \"matmul\": 10}}"),
            "s.json:3: /axes/model/name: found \"mlp-10\", expected a name of its own (a named model has this one)");
  EXPECT_EQ(error_with("\"axes\": {\"model\": {\"name\": \"a/b\", \"matmul\": 10}}"),
            "s.json:2: /axes/model/name: found \"a/b\", expected " + name_rule);
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": [{\"name\": \"a\", \"matmul\": 10},\n{\"name\": \"a\", \"matmul\": 11}]}"),
      "s.json:3: /axes/model/1/name: found \"a\" a second time, expected each model once");
}

TEST(ReaderErrors, Environments) {
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
            "s.json:2: /environments/a b: found the key \"a b\", expected " + name_rule);
}

TEST(ReaderErrors, Commands) {
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

const std::string axes =
    "\"axes\": {\"model\": \"mlp-10\", \"engine\": [\"native\", \"numpy\"], \"mode\": [\"eager\", \"graph\"]},\n";

TEST(ReaderErrors, BudgetsAndLimits) {
  const std::string percent = ", expected a percentage above zero, up to \"100%\", such as \"1%\"";
  const std::string duration = ", expected a duration above zero such as \"300s\"";
  EXPECT_EQ(error_with(axes + "\"measure\": {\"margin\": 1}"), "s.json:3: /measure/margin: found 1" + percent);
  EXPECT_EQ(error_with(axes + "\"measure\": {\"margin\": \"0%\"}"),
            "s.json:3: /measure/margin: found \"0%\"" + percent);
  EXPECT_EQ(error_with(axes + "\"measure\": {\"half_width\": \"101%\"}"),
            "s.json:3: /measure/half_width: found \"101%\"" + percent);
  EXPECT_EQ(error_with(axes + "\"measure\": {\"per_contrast\": \"3 days\"}"),
            "s.json:3: /measure/per_contrast: found \"3 days\"" + duration);
  EXPECT_EQ(error_with(axes + "\"measure\": {\"total\": 300}"), "s.json:3: /measure/total: found 300" + duration);
  EXPECT_EQ(error_with(axes + "\"measure\": {\"metric\": \"time_per_stp\"}"),
            "s.json:3: /measure/metric: found \"time_per_stp\", expected \"time_per_sample\" or \"time_per_step\"; did "
            "you mean \"time_per_step\"?");
  EXPECT_EQ(error_with(axes + "\"measure\": {\"slices\": 0}"),
            "s.json:3: /measure/slices: found 0, expected an integer from 1 to 1000000");
  EXPECT_EQ(error_with(axes + "\"limits\": {\"memory\": \"8GiBB\"}"),
            "s.json:3: /limits/memory: found \"8GiBB\", expected a size above zero such as \"8GiB\"");
  EXPECT_EQ(error_with(axes + "\"limits\": {\"attempts\": -1}"),
            "s.json:3: /limits/attempts: found -1, expected an integer from 1 to 100");
  EXPECT_EQ(error_with(axes + "\"limits\": {\"trial_timeout\": \"-3s\"}"),
            "s.json:3: /limits/trial_timeout: found \"-3s\"" + duration);
  EXPECT_EQ(error_with(axes + "\"limits\": {\"timeout\": \"3s\"}"),
            "s.json:3: /limits/timeout: found the unknown key \"timeout\", expected \"trial_timeout\", \"attempts\" or "
            "\"memory\"");
  EXPECT_EQ(error_with(axes + "\"limits\": 3"), "s.json:3: /limits: found 3, expected an object");
}

TEST(ReaderErrors, Exclusions) {
  EXPECT_EQ(error_with(axes + "\"exclude\": {}"),
            "s.json:3: /exclude: found an empty object, expected a list of objects such as {\"engine\": \"numpy\", "
            "\"batch\": 32}");
  EXPECT_EQ(error_with(axes + "\"exclude\": [{}]"),
            "s.json:3: /exclude/0: found an empty object, expected at least one parameter");
  EXPECT_EQ(error_with(axes + "\"exclude\": [{\"engine\": \"torch\"}]"),
            "s.json:3: /exclude/0/engine: found \"torch\", expected a level of the axis engine");
  EXPECT_EQ(
      error_with(axes + "\"exclude\": [\n{\"loop\": \"fit\"}]"),
      "s.json:4: /exclude/0/loop: found the parameter \"loop\", which is no axis of this sweep, expected an axis");
  EXPECT_EQ(error_with(axes + "\"exclude\": [{\"bacth\": 3}]"),
            "s.json:3: /exclude/0/bacth: found the unknown parameter \"bacth\", expected " + all_params +
                "; did you mean \"batch\"?");
  EXPECT_EQ(error_with(axes + "\"exclude\": [{\"engine\": \"native\"}, {\"engine\": \"numpy\"}]"),
            "s.json:3: /exclude: found exclusions that leave no point, expected at least one point to stay");
}

TEST(ReaderErrors, Comparisons) {
  const auto error = [](const std::string& inside) { return error_with(axes + "\"compare\": {" + inside + "}"); };
  EXPECT_EQ(error("\"over\": [\"engine\"]"),
            "s.json:3: /compare/baseline: found nothing, expected the arm that others are compared with, such as "
            "{\"engine\": \"native\"}");
  EXPECT_EQ(error("\"over\": [], \"baseline\": {}"),
            "s.json:3: /compare/over: found an empty list, expected at least one parameter");
  EXPECT_EQ(error("\"over\": [\"egine\"], \"baseline\": {}"),
            "s.json:3: /compare/over/0: found \"egine\", expected " + all_params + "; did you mean \"engine\"?");
  EXPECT_EQ(error("\"over\": [\"mode\",\n\"loop\"], \"baseline\": {\"loop\": \"fit\"}"),
            "s.json:4: /compare/over/1: found \"loop\", which is no axis of this sweep, expected \"model\", \"engine\" "
            "or \"mode\"");
  EXPECT_EQ(error("\"over\": [\"mode\", \"mode\"], \"baseline\": {}"),
            "s.json:3: /compare/over/1: found \"mode\" a second time, expected each parameter once");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {}"),
            "s.json:3: /compare/baseline: found an empty object, expected at least one parameter");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {\"engine\": \"native\"}"),
            "s.json:3: /compare/baseline/engine: found the parameter \"engine\", expected only what \"over\" names "
            "(\"mode\")");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {\"mode\": \"eager\"}, \"pairs\": \"all\""),
            "s.json:3: /compare/pairs: found \"all\", expected \"baseline\" (\"all\" is not built yet; use baseline)");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {\"mode\": \"eager\"}, \"pairs\": \"one-factor\""),
            "s.json:3: /compare/pairs: found \"one-factor\", expected \"baseline\" (\"one-factor\" is not built yet; "
            "use baseline)");
}

TEST(ReaderErrors, BaselinesThatMatchNoArmOrSeveral) {
  const auto error = [](const std::string& inside) { return error_with(axes + "\"compare\": {" + inside + "}"); };
  const std::string rule = ", expected it to match exactly one arm of each comparison";
  EXPECT_EQ(error("\"over\": \"engine\",\n\"baseline\": {\"engine\": \"torch\"}"),
            "s.json:4: /compare/baseline: found {\"engine\":\"torch\"}, which matches no arm (\"torch\" is no level of "
            "the axis engine)" +
                rule);
  EXPECT_EQ(error("\"over\": [\"engine\", \"mode\"], \"baseline\": {\"engine\": \"native\"}"),
            "s.json:3: /compare/baseline: found {\"engine\":\"native\"}, which matches more than one arm (engine "
            "native, mode eager and "
            "engine native, mode graph)" +
                rule);
  EXPECT_EQ(error_with(axes + "\"compare\": {\"over\": \"engine\", \"baseline\": {\"engine\": \"native\"}}, "
                              "\"exclude\": [{\"engine\": \"native\"}]"),
            "s.json:3: /compare/baseline: found {\"engine\":\"native\"}, which matches no arm (exclude removes it "
            "everywhere)" +
                rule);
}

TEST(ReaderErrors, PointsAreCountedBeforeTheyAreMade) {
  const std::string many =
      "found more than 10000000 points (levels of all axes and repeats, multiplied), expected at most that many";
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"noop\", \"mode\": [\"eager\", \"graph\"]}, \"repeats\": 10000000"),
            "s.json:2: /axes: " + many);
  std::string levels;
  for (int i = 1; i <= 4096; ++i) levels += std::to_string(i) + (i < 4096 ? "," : "");
  const std::string list = "[" + levels + "]";  // 4096 to the sixth is 2 to the 72nd: beyond 64 bits
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": \"mlp-10\", \"batch\": " + list + ", \"length\": " + list +
                 ", \"ranks\": " + list + ", \"seed\": " + list + ", \"threads\": " + list + "}, \"repeats\": 4096"),
      "s.json:2: /axes: " + many);
}

TEST(ReaderErrors, FilesThatCannotBeRead) {
  EXPECT_EQ(input_error([] { read_sweep("/nonexistent/s.json"); }).find("/nonexistent/s.json") != std::string::npos,
            true);
}

}  // namespace
}  // namespace regatta::sweep
