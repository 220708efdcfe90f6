#include "regatta/sweep/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ParameterTable, IsOrderedAsParamAndByName) {
  const auto& table = parameter_table();
  ASSERT_EQ(table.size(), param_count);
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(table[i].param), i) << table[i].name;
    EXPECT_EQ(find_param(table[i].name), table[i].param);
    EXPECT_EQ(&info(table[i].param), &table[i]);
    EXPECT_TRUE(i == 0 || table[i - 1].name < table[i].name) << table[i].name;
  }
  EXPECT_EQ(find_param("bacth"), std::nullopt);
}

TEST(ParameterTable, DefaultsAreLevelsOfTheirOwnRow) {
  for (const ParamInfo& row : parameter_table()) {
    if (const auto* text = std::get_if<std::string>(&row.fallback)) {
      EXPECT_EQ(row.type, ParamType::text) << row.name;
      EXPECT_EQ(std::count(row.levels.begin(), row.levels.end(), *text), 1) << row.name;
    } else if (const auto* integer = std::get_if<std::int64_t>(&row.fallback)) {
      EXPECT_EQ(row.type, ParamType::integer) << row.name;
      EXPECT_TRUE(row.minimum <= *integer && *integer <= row.maximum) << row.name;
    } else {
      EXPECT_TRUE(row.param == Param::model || row.param == Param::command) << row.name;
    }
    EXPECT_FALSE(row.description.empty()) << row.name;
  }
}

TEST(Parameters, JsonHasKeysInOrderAndNullForWhatIsNotRead) {
  Parameters parameters;
  parameters[Param::batch] = std::int64_t{32};
  parameters[Param::engine] = std::string("native@a\"b");
  EXPECT_EQ(
      to_json(parameters),
      R"({"api":null,"batch":32,"command":null,"dataset":null,"device":null,"engine":"native@a\"b","host_dtype":null,)"
      R"("input":null,"length":null,"loop":null,"mode":null,"model":null,"precision":null,"ranks":null,"repeat":null,)"
      R"("seed":null,"tail":null,"threads":null,"timing":null,"work":null})");
  EXPECT_EQ(parse_parameters(to_json(parameters)), parameters);
}

TEST(Parameters, ParsingIgnoresWhatIsWrittenOutBesideThem) {
  const Parameters parsed = parse_parameters(R"({"batch":7,"model_spec":{"name":"x"},"command_spec":{}})");
  EXPECT_EQ(parsed[Param::batch], Value(std::int64_t{7}));
}

TEST(Parameters, ParsingRefusesOtherJson) {
  const auto error = [](const char* text) { return input_error([&] { parse_parameters(text); }); };
  EXPECT_EQ(error("[]"), "parameters: found an empty list, expected an object");
  EXPECT_EQ(error(R"({"bacth":1})"), "parameters: found the unknown parameter \"bacth\"");
  EXPECT_EQ(error(R"({"batch":"1"})"), "parameters: /batch: found \"1\", expected an integer or null");
  EXPECT_EQ(error(R"({"mode":1})"), "parameters: /mode: found 1, expected a text or null");
  EXPECT_EQ(error(R"({"mode":"a","mode":"b"})"),
            "parameters:1: /mode: found the key \"mode\" a second time (first on line 1), expected each key once");
}

TEST(Parameters, ValuesAsTextAndJson) {
  EXPECT_EQ(to_text(Value()), "\u2013");
  EXPECT_EQ(to_text(Value(std::string("eager"))), "eager");
  EXPECT_EQ(to_text(Value(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_text(Value(0.5)), "0.5");
  EXPECT_EQ(to_json(Value()), "null");
  EXPECT_EQ(to_json(Value(true)), "true");
  EXPECT_EQ(to_json(Value(1.0)), "1.0");
  EXPECT_EQ(to_json(Value(1e30)), "1e+30");
  EXPECT_EQ(to_json(Value(std::string("a\n\\"))), R"("a\u000a\\")");
}

TEST(Parameters, AskingForWhatIsNotThereIsOurMistake) {
  Parameters parameters;
  parameters[Param::batch] = std::int64_t{32};
  parameters[Param::mode] = std::string("eager");
  EXPECT_EQ(integer_of(parameters, Param::batch), 32);
  EXPECT_EQ(text_of(parameters, Param::mode), "eager");
  EXPECT_THROW(integer_of(parameters, Param::length), InternalError);
  EXPECT_THROW(text_of(parameters, Param::batch), InternalError);
}

TEST(Engine, NameSplitsAtTheEnvironment) {
  EXPECT_EQ(split_engine("native").engine, "native");
  EXPECT_EQ(split_engine("native").environment, "");
  EXPECT_EQ(split_engine("tensorflow@tf-2.15").engine, "tensorflow");
  EXPECT_EQ(split_engine("tensorflow@tf-2.15").environment, "tf-2.15");
}

}  // namespace
}  // namespace regatta::sweep
