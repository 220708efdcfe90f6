// Users' own models in a sweep: their files are read, their digests are part of what a trial is.
#include <gmock/gmock.h>

#include <fstream>

#include "regatta/base/digest.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

using ::testing::HasSubstr;

const std::string functions = R"({"python": "m.py:build", "batch": "m.py:make_batch"})";

class UserModels : public ::testing::Test {
 protected:
  void SetUp() override { write("m.py", "def build(): pass\n"); }

  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }

  [[nodiscard]] static std::string text_with(const std::string& model, const std::string& engine = R"(["torch"])") {
    return file_with("\"axes\": {\"engine\": " + engine + ",\n\"model\": " + model + "}");
  }
  [[nodiscard]] Sweep read(const std::string& text, OutsideEnvironments outside = {}) const {
    return parse_sweep(text, folder_ / "s.json", std::move(outside));
  }
  [[nodiscard]] std::string error(const std::string& model) const {
    return input_error([&] { make_plan(read(text_with(model))); });
  }
  [[nodiscard]] std::string hash_of(const Sweep& sweep) const { return to_string(make_plan(sweep).trials.at(0).hash); }
  [[nodiscard]] std::string at(const std::string& place) const { return (folder_ / "s.json").string() + place; }

  support::TemporaryFolder folder_;
};

TEST_F(UserModels, KnowTheirFilesAndWhatIsInThem) {
  write("d.py", "");
  const Sweep sweep = read(text_with(R"([{"python": "m.py:build", "batch": "d.py:make_batch", "name": "mine"}])"));
  const auto& user = std::get<model::UserModel>(sweep.models.at("mine"));
  EXPECT_EQ(user.sources.at("m.py"), sha256_hex("def build(): pass\n"));
  EXPECT_EQ(user.sources.at("d.py"), sha256_hex(""));
  EXPECT_EQ(user.folder, folder_.path().string());
}

TEST_F(UserModels, AnEditedFileIsAnotherTrial) {
  const std::string before = hash_of(read(text_with(functions)));
  EXPECT_EQ(hash_of(read(text_with(functions))), before);
  write("m.py", "def build(): pass  # another\n");
  EXPECT_NE(hash_of(read(text_with(functions))), before);
}

TEST_F(UserModels, OtherArgumentsAreAnotherTrial) {
  const auto with = [&](const std::string& args) {
    return hash_of(read(text_with(R"({"python": "m.py:build", "batch": "m.py:make_batch", "args": )" + args + "}")));
  };
  EXPECT_EQ(with("{}"), hash_of(read(text_with(functions))));
  EXPECT_NE(with(R"({"width": 1})"), with(R"({"width": 2})"));
}

TEST_F(UserModels, TheFolderIsNoPartOfIdentity) {
  const std::string before = hash_of(read(text_with(functions)));
  std::filesystem::create_directory(folder_ / "other");
  std::filesystem::rename(folder_ / "m.py", folder_ / "other" / "m.py");
  EXPECT_EQ(hash_of(parse_sweep(text_with(functions), folder_ / "other" / "s.json")), before);
}

TEST_F(UserModels, ALoopThatKnowsNoBatchesHasNone) {
  OutsideEnvironments outside;
  outside.declared["x"] = "torch";
  const auto trials = [&](const std::string& code, const std::string& more = "") {
    write("l.py", code);
    const std::string axes = R"({"python": "l.py")" + more + "},\n\"batch\": [1, 32]";
    return make_plan(read(text_with(axes, R"(["torch@x"])"), outside)).trials;
  };
  EXPECT_EQ(trials("for step in regatta.steps(): pass").size(), 1U);
  EXPECT_EQ(trials("for step in regatta.steps(): pass")[0].parameters[Param::batch], Value());
  EXPECT_EQ(trials("regatta.settings(batch=32)").size(), 2U);
  EXPECT_EQ(trials("work(**regatta.settings(n=3))").size(), 2U);
  EXPECT_EQ(trials("pass", R"(, "reads_batch": true)").size(), 2U);
  write("work.py", "size = settings['batch']");
  EXPECT_EQ(trials("import work").size(), 2U);
  const std::string alone = text_with(R"({"python": "l.py"})", R"(["torch@x"])");
  write("l.py", "pass");
  const Sweep first = read(alone, outside);
  const std::string before = hash_of(first);
  std::filesystem::remove(folder_ / "l.py");
  EXPECT_EQ(hash_of(read(first.text, any_environment())), before) << "what was found is recorded";
}

TEST_F(UserModels, ARecordedSweepNeedsNoFiles) {
  write("l.py", "loop");
  const std::string both = "[" + functions + ", \"mlp-10\",\n {\"python\": \"l.py\", \"args\": {\"a\": \"}\"}} ]";
  const Sweep sweep = read(text_with(both, R"(["torch", "torch@x"])"), any_environment());
  EXPECT_TRUE(std::get<model::UserModel>(sweep.models.at("m")).sources.empty()) << "nothing is read where all is known";
  OutsideEnvironments outside;
  outside.declared["x"] = "torch";
  const Sweep first = read(text_with(both, R"(["torch", "torch@x"])"), outside);
  EXPECT_EQ(std::count(first.text.begin(), first.text.end(), '\n'),
            std::count(sweep.text.begin(), sweep.text.end(), '\n'));
  const Plan planned = make_plan(first);
  std::filesystem::remove(folder_ / "m.py");
  std::filesystem::remove(folder_ / "l.py");
  const Plan again = make_plan(read(first.text, any_environment()));
  ASSERT_EQ(again.trials.size(), planned.trials.size());
  for (std::size_t i = 0; i < planned.trials.size(); ++i) EXPECT_EQ(again.trials[i].hash, planned.trials[i].hash);
}

TEST_F(UserModels, APinnedDigestMustBeThatOfTheFile) {
  const std::string digest = sha256_hex("def build(): pass\n");
  const std::string pinned =
      R"({"python": "m.py:build", "batch": "m.py:make_batch", "sources": {"m.py": ")" + digest + R"("}})";
  const Sweep sweep = read(text_with(pinned));
  EXPECT_EQ(sweep.text, text_with(pinned));
  EXPECT_EQ(hash_of(sweep), hash_of(read(text_with(functions))));
  write("m.py", "edited");
  const std::string text = error(pinned);
  EXPECT_THAT(text, HasSubstr(":3: /axes/model/sources/m.py: found \"" + digest.substr(0, 40)));
  EXPECT_THAT(text, HasSubstr("expected \"" + sha256_hex("edited") + "\", which m.py has now (it was edited)"));
}

TEST_F(UserModels, ErrorsAreFoundBeforeAnythingRuns) {
  EXPECT_EQ(error(R"({"python": "gone.py:build", "batch": "m.py:make_batch"})"),
            at(":3: /axes/model/python: found \"gone.py:build\", expected a file that can be read (cannot open '") +
                (folder_ / "gone.py").string() + "': No such file or directory)");
  EXPECT_THAT(error(R"({"python": "m.py:build", "batch": "gone.py:make_batch"})"),
              HasSubstr(":3: /axes/model/batch: found \"gone.py:make_batch\", expected a file that can be read"));
  EXPECT_THAT(error("[" + functions + "," + functions + "]"),
              HasSubstr("/axes/model/1: found \"m\" a second time, expected a \"name\" of its own"));
  write("a b.py", "");
  EXPECT_THAT(error(R"({"python": "a b.py:build", "batch": "m.py:make_batch"})"),
              HasSubstr("expected the key \"name\", " + a_name));
  EXPECT_THAT(error(R"({"python": "m.py:build", "batch": "m.py:make_batch", "folder": "/tmp"})"),
              HasSubstr("/axes/model/folder: found the unknown key \"folder\""));
}

TEST_F(UserModels, RunWhereTheirFrameworkIs) {
  write("l.py", "");
  OutsideEnvironments outside;
  outside.declared["x"] = "numpy";
  const auto reasons = [&](const std::string& model) {
    std::map<std::string, std::string> found;
    const std::string engines = R"(["native", "torch", "tensorflow", "jax", "numpy", "numpy@x"])";
    for (const Trial& trial : make_plan(read(text_with(model, engines), outside)).trials)
      found[text_of(trial.parameters, Param::engine)] = trial.skip_reason.value_or("runs");
    return found;
  };
  const auto of_functions = reasons(functions);
  for (const char* engine : {"torch", "tensorflow", "jax"}) EXPECT_EQ(of_functions.at(engine), "runs");
  for (const char* engine : {"native", "numpy"}) {
    EXPECT_EQ(of_functions.at(engine),
              "the engine " + std::string(engine) + " has no Python models (torch, tensorflow and jax have; m is one)");
  }
  const auto in_session = make_plan(read(text_with(functions, R"("tensorflow", "mode": "v1-session")"), outside));
  EXPECT_EQ(in_session.trials.at(0).skip_reason,
            "mode v1-session builds its graph from layers (m is Python); use eager, graph or xla");
  const auto of_loop = reasons(R"({"python": "l.py"})");
  EXPECT_EQ(of_loop.at("numpy@x"), "runs");
  EXPECT_EQ(of_loop.at("torch"),
            "l is a loop of its own (it runs in an environment with a \"program\"); write torch@ENVIRONMENT");
}

TEST_F(UserModels, ReadWhatNetworksReadButTheDataset) {
  const Sweep sweep = read(text_with(functions));
  Parameters parameters;
  parameters[Param::engine] = std::string("torch");
  const model::Model network = model::find_model("mlp-10", 140).value();
  for (const ParamInfo& row : parameter_table()) {
    const bool expected = row.param != Param::dataset && reads(parameters, &network, row.param);
    EXPECT_EQ(reads(parameters, &sweep.models.at("m"), row.param), expected) << row.name;
  }
}

}  // namespace
}  // namespace regatta::sweep
