#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ParametersJson, JsonHasKeysInOrderAndNullForWhatIsNotRead) {
  Parameters parameters;
  parameters[Param::batch] = std::int64_t{32};
  parameters[Param::engine] = std::string("native@a\"b");
  const std::string json = to_json(parameters);
  std::string expected;
  for (const ParamInfo& row : parameter_table()) {
    expected += (expected.empty() ? "{\"" : ",\"") + std::string(row.name) + "\":";
    expected += row.param == Param::batch ? "32" : row.param == Param::engine ? R"("native@a\"b")" : "null";
  }
  EXPECT_EQ(json, expected + "}");
  EXPECT_TRUE(json.starts_with(R"({"accumulate":null,"algorithm":null,"api":null,"batch":32,)")) << json;
  EXPECT_EQ(parse_parameters(to_json(parameters)), parameters);
}

TEST(ParametersJson, ParsingIgnoresWhatIsWrittenOutBesideThem) {
  const Parameters parsed = parse_parameters(R"({"batch":7,"model_spec":{"name":"x"},"command_spec":{}})");
  EXPECT_EQ(parsed[Param::batch], Value(std::int64_t{7}));
}

TEST(ParametersJson, ParsingRefusesOtherJson) {
  const auto error = [](const char* text) { return input_error([&] { parse_parameters(text); }); };
  EXPECT_EQ(error("[]"), "parameters: found an empty list, expected an object");
  EXPECT_EQ(error(R"({"bacth":1})"), "parameters: found the unknown parameter \"bacth\"");
  EXPECT_EQ(error(R"({"batch":"1"})"), "parameters: /batch: found \"1\", expected an integer or null");
  EXPECT_EQ(error(R"({"mode":1})"), "parameters: /mode: found 1, expected a text or null");
  EXPECT_EQ(error(R"({"mode":"a","mode":"b"})"),
            "parameters:1: /mode: found the key \"mode\" a second time (first on line 1), expected each key once");
}

TEST(ParametersJson, ValuesAsTextAndJson) {
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

}  // namespace
}  // namespace regatta::sweep
