// The tables of layers, losses, parameters and engines stand once in C++; what Python says of them again agrees.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "regatta/model/model.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/parameters.hpp"
#include "support/places.hpp"

namespace regatta::testing {
namespace {

using Json = nlohmann::json;

/// The default of every parameter that has one.
std::string defaults() {
  std::string text;
  for (const sweep::ParamInfo& row : sweep::parameter_table()) {
    if (row.fallback == sweep::Value()) continue;
    text += (text.empty() ? "{\"" : ", \"") + std::string(row.name) + "\": " + sweep::to_json(row.fallback);
  }
  return text + "}";
}

/// The tables that tests/workers/python_tables.py prints.
const Json& python_tables() {
  static const Json tables = [] {
    const std::string source = support::source_folder();
    const std::string command = "PYTHONPATH='" + source + "/workers/python' '" REGATTA_PYTHON "' -B '" + source +
                                "/tests/workers/python_tables.py' '" + defaults() + "'";
    std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), &pclose);
    std::string text;
    std::array<char, 4096> piece{};
    while (const std::size_t size = fread(piece.data(), 1, piece.size(), output.get())) text.append(piece.data(), size);
    return Json::parse(text);
  }();
  return tables;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(PythonTables, LayersHaveTheSameNamesAndKeys) {
  const Json& layers = python_tables().at("layers");
  EXPECT_EQ(layers.size(), model::layer_table.size());
  for (const model::LayerInfo& row : model::layer_table) {
    std::vector<std::string> options;
    for (const std::string_view option : row.options) {
      if (!option.empty()) options.emplace_back(option);
    }
    ASSERT_TRUE(layers.contains(row.name)) << row.name;
    EXPECT_THAT(keys_of(layers.at(std::string(row.name))), ::testing::UnorderedElementsAreArray(options)) << row.name;
  }
}

TEST(PythonTables, ActivationsOfLayersHaveTheSameDefaults) {
  const Json& layers = python_tables().at("layers");
  const auto expect_default = [&](const model::Layer& layer, model::Activation activation) {
    EXPECT_EQ(layers.at(std::string(model::info(layer).name)).at("activation"), model::name_of(activation));
  };
  expect_default(model::Dense{1}, model::Dense{1}.activation);
  expect_default(model::Conv1d{1, 1}, model::Conv1d{1, 1}.activation);
  expect_default(model::Conv2d{1, 1}, model::Conv2d{1, 1}.activation);
  expect_default(model::Lstm{1}, model::Lstm{1}.activation);
}

TEST(PythonTables, LossesBringTheSameActivations) {
  const Json& losses = python_tables().at("losses");
  EXPECT_EQ(losses.size(), model::loss_table.size());
  for (const model::LossInfo& row : model::loss_table)
    EXPECT_EQ(losses.value(row.name, Json()), model::name_of(row.activation)) << row.name;
}

TEST(PythonTables, DefaultsOfParametersAreTheSame) { EXPECT_EQ(python_tables().at("other_defaults"), Json::array()); }

TEST(PythonTables, EnginesHaveTheSameLevels) {
  std::vector<std::string> names;
  for (const sweep::EngineInfo& row : sweep::engine_table()) {
    if (row.worker != sweep::WorkerKind::python) continue;
    const std::string& name = names.emplace_back(row.name);
    const Json& python = python_tables().at("engines").value(name, Json::object());
    EXPECT_EQ(python.value("modes", Json()), Json(row.modes)) << name;
    EXPECT_EQ(python.value("devices", Json()), Json(row.devices)) << name;
    EXPECT_EQ(python.value("has_ranks", Json()), Json(row.has_ranks)) << name;
    // A parameter with one level only stands nowhere in Python.
    EXPECT_EQ(python.value("inputs", Json()), row.inputs.size() > 1 ? Json(row.inputs) : Json::array()) << name;
    EXPECT_EQ(python.value("loops", Json()), row.loops.size() > 1 ? Json(row.loops) : Json::array()) << name;
  }
  EXPECT_THAT(keys_of(python_tables().at("engines")), ::testing::UnorderedElementsAreArray(names));
}

bool holds(const Json& names, std::string_view name) { return std::ranges::find(names, Json(name)) != names.end(); }

TEST(PythonTables, EnginesReadOfTheirOwnParametersThoseThatTheTableSaysTheyRead) {
  for (const auto& [name, python] : python_tables().at("engines").items()) {
    const sweep::EngineInfo& engine = *sweep::find_engine(name);
    for (const std::string read : python.at("by_name")) {
      const auto param = sweep::find_param(read);
      ASSERT_TRUE(param) << name << " reads " << read;
      EXPECT_TRUE(!sweep::info(*param).read_by.own || sweep::find_own(engine, read) != nullptr) << name << ' ' << read;
    }
    for (const auto& [own, inputs] : engine.own_params) {
      const auto levels = sweep::info(*sweep::find_param(own)).engine_levels;
      if (levels != nullptr && (engine.*levels).size() == 1) continue;  // nothing to choose
      EXPECT_TRUE(holds(python.at("by_name"), own) || holds(python.at("settings"), own)) << name << ' ' << own;
    }
  }
}

/// "torch" of "run scripts/setup-engines.sh torch"; empty if another program installs the engine.
std::string environment_of(const sweep::EngineInfo& engine) {
  constexpr std::string_view script = "run scripts/setup-engines.sh ";
  return std::string(engine.install.starts_with(script) ? engine.install.substr(script.size()) : "");
}

TEST(PythonTables, ScriptsInstallTheEnginesThatTheTableSaysTheyInstall) {
  std::set<std::string> listed, named;
  for (const auto& file : std::filesystem::directory_iterator(support::source_folder() + "/workers/python/locks")) {
    const std::string name = file.path().stem();
    const bool is_engine = name != "optuna";          // it proposes what is trained
    const bool is_ours = name.starts_with("numpy-");  // every worker has NumPy: these are other Pythons for its tests
    if (file.path().extension() == ".txt" && is_engine && !is_ours) listed.insert(name.substr(0, name.find('-')));
  }
  for (const sweep::EngineInfo& row : sweep::engine_table()) {
    if (!environment_of(row).empty()) named.insert(environment_of(row));
  }
  EXPECT_EQ(listed, named);
}

}  // namespace
}  // namespace regatta::testing
